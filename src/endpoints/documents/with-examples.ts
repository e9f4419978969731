import { EVENT_KINDS } from '../../events/events.ts';
import type { Example, ExampleAnswer, Examples } from './examples.ts';
import type { JsonSchema } from './json-schemas.ts';
import { eventName } from './openapi.ts';
import {
  FORM,
  JSON_TYPE,
  MULTIPART,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from './openapi-shapes.ts';

/** Adds to each operation of a document the request and the answers that a test has recorded. */
export function withExamples(
  document: OpenApiDocument,
  { operations, events }: Examples,
): OpenApiDocument {
  const { paths, components } = document;
  const schemas: Record<string, JsonSchema> = { ...components.schemas };
  for (const kind of EVENT_KINDS) {
    const name = eventName(kind);
    const event = events[kind];
    if (event !== undefined) schemas[name] = { ...schemas[name], examples: [event] };
  }
  return {
    ...document,
    paths: mapped(paths, (methods) =>
      mapped(methods, (operation) => {
        const example = operations[operation.operationId];
        return example === undefined ? operation : withExample(operation, example);
      }),
    ),
    components: { ...components, schemas },
  };
}

function withExample(operation: Operation, example: Example): Operation {
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((one) => parameter(one, example)) }),
    ...(requestBody && { requestBody: body(requestBody, example) }),
    responses: [example.answer, ...(example.refusal ? [example.refusal] : [])].reduce(
      withAnswer,
      responses,
    ),
  };
}

function parameter(parameter: Parameter, { params }: Example): Parameter {
  const { name, content } = parameter;
  if (!(name in params)) return parameter;
  const example = params[name];
  if (content === undefined) return { ...parameter, example };
  return { ...parameter, content: { [JSON_TYPE]: { ...content[JSON_TYPE], example } } };
}

type RequestBody = NonNullable<Operation['requestBody']>;

function body(body: RequestBody, { params, file }: Example): RequestBody {
  const form = body.content[FORM];
  const upload = body.content[MULTIPART];
  const inForm = Object.entries(params).filter(([name]) => name in (form?.schema.properties ?? {}));
  return {
    ...body,
    content: {
      ...body.content,
      ...(form &&
        inForm.length > 0 && { [FORM]: { ...form, example: Object.fromEntries(inForm) } }),
      ...(upload && file !== undefined && { [MULTIPART]: { ...upload, example: { file } } }),
    },
  };
}

function withAnswer(
  responses: Readonly<Record<string, Response>>,
  { status, body }: ExampleAnswer,
): Readonly<Record<string, Response>> {
  const response = responses[String(status)];
  if (response === undefined) return responses;
  const content = { [JSON_TYPE]: { ...response.content[JSON_TYPE], example: body } };
  return { ...responses, [String(status)]: { ...response, content } };
}

const mapped = <Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
