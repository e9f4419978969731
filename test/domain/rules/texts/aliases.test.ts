import { describe, expect, test } from 'vitest';
import {
  emojiForClients,
  unaliased,
  withAliases,
} from '../../../../src/domain/rules/texts/aliases.ts';

describe('keys under their other name', () => {
  test('stand beside the first one, with the same value', () => {
    expect(
      withAliases({ service_version: '1', service_feature_level: 420, msg: '' }, 'acme'),
    ).toEqual({
      service_version: '1',
      acme_version: '1',
      service_feature_level: 420,
      acme_feature_level: 420,
      msg: '',
    });
  });

  test('have the prefix where the first one says service', () => {
    const body = { realm_service_update_announcements_stream_id: -1 };
    expect(withAliases(body, 'acme')).toEqual({
      ...body,
      realm_acme_update_announcements_stream_id: -1,
    });
  });

  test('are only those of the interface that carry the word', () => {
    const body = { service_name: 'x', realm_name: 'y' };
    expect(withAliases(body, 'acme')).toEqual(body);
  });

  test('are not there without a prefix', () => {
    const body = { service_version: '1', service_merge_base: '1' };
    expect(withAliases(body, '')).toEqual(body);
  });

  test('leave the given body as it is', () => {
    const body = { service_version: '1' };
    withAliases(body, 'acme');
    expect(body).toEqual({ service_version: '1' });
  });
});

test.each([
  { name: 'acme_extra_emoji', prefix: 'acme', expected: 'service_extra_emoji' },
  { name: 'service_extra_emoji', prefix: 'acme', expected: 'service_extra_emoji' },
  { name: 'acme_extra_emoji', prefix: '', expected: 'acme_extra_emoji' },
  { name: '_extra_emoji', prefix: '', expected: '_extra_emoji' },
  { name: 'unicode_emoji', prefix: 'acme', expected: 'unicode_emoji' },
])('the reaction type $name means $expected with the prefix "$prefix"', (row) => {
  expect(unaliased(row.name, row.prefix)).toBe(row.expected);
});

test('the extra emoji is told by the prefix alone, and all others as they are', () => {
  const extra = {
    emoji_name: 'service',
    emoji_code: 'service',
    reaction_type: 'service_extra_emoji',
  };
  const cat = { emoji_name: 'cat', emoji_code: '1f408', reaction_type: 'unicode_emoji' };
  expect(emojiForClients(extra, '')).toEqual(extra);
  expect(emojiForClients(cat, 'acme')).toEqual(cat);
  expect(emojiForClients(extra, 'acme')).toEqual({
    emoji_name: 'acme',
    emoji_code: 'acme',
    reaction_type: 'acme_extra_emoji',
  });
});
