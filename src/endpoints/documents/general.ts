/** Rules for all endpoints, for the head of the documents. */
export const GENERAL = `
Every path is below \`/api/v1\`, at the host of the organization.

**Who asks.** HTTP Basic authentication, with the API email address of an account as the name and its API key as the
password. \`POST /fetch_api_key\` gives a key for a password.

**Parameters** are those of a form, in the body (\`application/x-www-form-urlencoded\` or \`multipart/form-data\`) or in the
query. Lists and objects, and whatever is marked as JSON, are JSON text; everything else is written as it reads: \`true\`,
\`42\`, \`general\`. A parameter that means nothing to an endpoint is not refused: the answer names it in
\`ignored_parameters_unsupported\`.

**Answers** are JSON. A success has \`result\` \`success\` and an empty \`msg\` beside its fields. A refusal has \`result\`
\`error\`, a \`msg\` for a person, a \`code\` for a program, and the fields of that code. Unless those say otherwise, it has
changed nothing.

**Limits.** Requests in a minute are limited by what they are: log-ins, requests that send mails, messages, pages of messages and
searches, files, and the rest; the operator sets how many. Over the limit one is refused with \`RATE_LIMIT_HIT\` and has changed nothing;
\`retry-after\` and the header \`Retry-After\` (rounded up) are the seconds to wait. Every answer over HTTP has the headers
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` of its limit, if it has one. Accounts are limited, wherever they ask from,
with a count of its own for \`GET /events\` and the opening of sockets; so are addresses without right credentials, and those that log in.

**Events.** \`POST /register\` gives the state and a queue; \`GET /events\` waits for what changes it. Over a WebSocket at
\`/events/socket\` (subprotocol \`chat.v1.json\` or \`chat.v1.msgpack\`) the same events come as frames, and any endpoint can
be asked: \`{"type":"request","id":1,"method":"POST","path":"/messages","params":{…}}\`.
`.trim();
