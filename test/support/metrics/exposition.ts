/** A family of series, as a scrape has it. */
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HELP = /^# HELP ([a-z_:][a-z0-9_:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram|summary)$/;
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/gy;
/** The names that samples of a histogram end in. */
const OF_HISTOGRAM = ['_bucket', '_sum', '_count'];

/**
 * Reads the text form of Prometheus (0.0.4) and throws at whatever it does not allow, and at what
 * this server never writes: a family twice, a series twice, a value that is no number.
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: readonly string[] = [];
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const helped = HELP.exec(line);
    const typed = TYPE.exec(line);
    if (helped !== null) {
      help = helped.slice(1);
    } else if (typed !== null) {
      const [, name = '', type = ''] = typed;
      if (help[0] !== name) throw new Error(`${name} has no help`);
      if (families.has(name)) throw new Error(`${name} is there twice`);
      family = { name, type, help: help[1] ?? '', samples: [] };
      families.set(name, family);
    } else {
      const sample = sampleIn(line);
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(key)) throw new Error(`${key} is there twice`);
      seen.add(key);
      if (family === undefined || !isOf(family, sample)) throw new Error(`${line} is of no family`);
      family.samples.push(sample);
    }
  }
  return families;
}

function sampleIn(line: string): Sample {
  const [, name = '', inside = '', number = ''] = SAMPLE.exec(line) ?? [];
  const labels: Record<string, string> = {};
  let end = 0;
  for (const [whole, label = '', value = ''] of inside.matchAll(LABEL)) {
    if (label in labels) throw new Error(`${line} has a label twice`);
    labels[label] = value;
    end += whole.length;
  }
  const value = Number(number);
  if (name === '' || number === '' || end !== inside.length || !Number.isFinite(value)) {
    throw new Error(`this is no sample: ${line}`);
  }
  return { name, labels, value };
}

const isOf = ({ name, type }: Family, sample: Sample) =>
  type === 'histogram'
    ? OF_HISTOGRAM.some((end) => sample.name === name + end)
    : sample.name === name;
