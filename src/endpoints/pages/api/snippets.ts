import { FORM, MULTIPART, type Operation } from '../../documents/openapi-shapes.ts';

/** A request with its values, as programs are shown how to make it. */
export interface ShownRequest {
  readonly method: string;
  /** The path with its parameters filled in, from the root of the server. */
  readonly path: string;
  /** True if the other parameters go into the query. */
  readonly isInQuery: boolean;
  readonly fields: readonly ShownField[];
  /** The name of the file that is sent along, if one is. */
  readonly file: string | undefined;
  readonly needsKey: boolean;
}

export interface ShownField {
  readonly name: string;
  readonly value: unknown;
  /** True if the text of the parameter is JSON. */
  readonly isJson: boolean;
}

export interface Snippet {
  readonly language: string;
  readonly code: string;
}

const EMAIL = 'you@example.com';
const KEY = 'YOUR_API_KEY';

/** The address of the organization in examples; each page that is sent has its own instead. */
export const EXAMPLE_ORIGIN = 'https://chat.example.com';

/** Writes a request for three programs. */
export const snippetsOf = (request: ShownRequest): readonly Snippet[] => [
  { language: 'curl', code: curl(request) },
  { language: 'JavaScript', code: javaScript(request) },
  { language: 'Python', code: python(request) },
];

/** Takes the request of an operation from its examples. */
export function shownRequest(
  operation: Operation,
  { path, method }: { readonly path: string; readonly method: string },
): ShownRequest {
  const given = (operation.parameters ?? []).flatMap(({ name, in: place, example, content }) => {
    const value = example ?? content?.['application/json'].example;
    return value === undefined ? [] : [{ name, place, value, isJson: content !== undefined }];
  });
  const filled = given
    .filter(({ place }) => place === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, pathText(value)), path);
  const inQuery = given.filter(({ place }) => place === 'query');
  const content = operation.requestBody?.content;
  const form = content?.[FORM];
  const file = content?.[MULTIPART]?.example?.['file'];
  const hasBody = form !== undefined || file !== undefined;
  const inForm = Object.entries(form?.example ?? {}).map(([name, value]) => {
    return { name, value, isJson: form?.encoding?.[name] !== undefined };
  });
  return {
    method: method.toUpperCase(),
    path: `/api/v1${filled}${hasBody ? queryOf(inQuery) : ''}`,
    isInQuery: !hasBody,
    fields: hasBody ? inForm : inQuery,
    file: typeof file === 'string' ? file : undefined,
    needsKey: operation.security?.length !== 0 && !takesUrlKey(operation),
  };
}

/** Slashes stay: only a parameter that takes the rest of a path has any. */
const pathText = (value: unknown) => encodeURIComponent(textOf(value)).replaceAll('%2F', '/');

export const takesUrlKey = ({ security }: Operation): boolean =>
  security?.some((one) => 'urlKey' in one) === true;

/** Returns a value as the text of a parameter. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const fieldText = ({ value, isJson }: ShownField) =>
  isJson ? JSON.stringify(value) : textOf(value);

function curl({ method, path, isInQuery, fields, file, needsKey }: ShownRequest) {
  const isPosted = file !== undefined || (fields.length > 0 && !isInQuery);
  const verb = method === (isPosted ? 'POST' : 'GET') ? '' : ` --request ${method}`;
  const query = isInQuery && fields.length > 0 ? ' --get' : '';
  return [
    `curl${verb}${query} ${shell(`${EXAMPLE_ORIGIN}${path}`)}`,
    ...(needsKey ? [`--user ${EMAIL}:${KEY}`] : []),
    ...fields.map((field) => `--data-urlencode ${shell(`${field.name}=${fieldText(field)}`)}`),
    ...(file === undefined ? [] : [`--form ${shell(`file=@${file}`)}`]),
  ].join(' \\\n  ');
}

const shell = (text: string) =>
  SAFE_IN_SHELL.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const SAFE_IN_SHELL = /^[\w@%+=:,./-]+$/;

const queryOf = (fields: readonly ShownField[]): string =>
  fields.length === 0
    ? ''
    : `?${new URLSearchParams(fields.map((field) => [field.name, fieldText(field)])).toString()}`;

function javaScript({ method, path, isInQuery, fields, file, needsKey }: ShownRequest) {
  const name = isInQuery ? 'query' : 'form';
  const params = [
    `const ${name} = new URLSearchParams({`,
    ...fields.map((field) => `  ${keyOf(field.name)}: ${javaScriptValue(field)},`),
    '});',
  ];
  const upload = [
    'const form = new FormData();',
    `form.append('file', new Blob(['hello']), ${quoted(file ?? '')});`,
  ];
  const url = `${EXAMPLE_ORIGIN}${path}`;
  const address = isInQuery && fields.length > 0 ? `\`${url}?\${query}\`` : quoted(url);
  const hasBody = file !== undefined || (fields.length > 0 && !isInQuery);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(needsKey ? [`  headers: { Authorization: \`Basic \${btoa('${EMAIL}:${KEY}')}\` },`] : []),
    ...(hasBody ? ['  body: form,'] : []),
  ];
  return [
    ...(file === undefined ? [] : upload),
    ...(fields.length === 0 ? [] : params),
    ...(options.length === 0
      ? [`const response = await fetch(${address});`]
      : [`const response = await fetch(${address}, {`, ...options, '});']),
    'console.log(await response.json());',
  ].join('\n');
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const keyOf = (name: string) => (IDENTIFIER.test(name) ? name : quoted(name));

const quoted = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function javaScriptValue({ value, isJson }: ShownField): string {
  if (isJson) return `JSON.stringify(${JSON.stringify(value)})`;
  if (typeof value === 'number' || typeof value === 'boolean') return `'${String(value)}'`;
  return typeof value === 'string' ? quoted(value) : `JSON.stringify(${JSON.stringify(value)})`;
}

function python({ method, path, isInQuery, fields, file, needsKey }: ShownRequest) {
  const needsJson = fields.some(({ value, isJson }) => isJson || typeof value === 'object');
  const params = fields.map(
    (field) => `        ${JSON.stringify(field.name)}: ${pythonValue(field)},`,
  );
  const place = isInQuery ? 'params' : 'data';
  return [
    ...(needsJson ? ['import json', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(`${EXAMPLE_ORIGIN}${path}`)},`,
    ...(needsKey ? [`    auth=("${EMAIL}", "${KEY}"),`] : []),
    ...(fields.length === 0 ? [] : [`    ${place}={`, ...params, '    },']),
    ...(file === undefined ? [] : [`    files={"file": open(${JSON.stringify(file)}, "rb")},`]),
    ')',
    'print(response.json())',
  ].join('\n');
}

function pythonValue({ value, isJson }: ShownField): string {
  if (isJson || (typeof value === 'object' && value !== null)) {
    return `json.dumps(${pythonLiteral(value)})`;
  }
  return JSON.stringify(textOf(value));
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one)}`,
  );
  return `{${fields.join(', ')}}`;
}
