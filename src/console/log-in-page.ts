/** The page for browsers that have not logged in. Nothing in it comes from a request. */
export const logInPage = (page: LogInPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in · confab console</title>
<link rel="stylesheet" href="/console/${page.style}">
<link rel="icon" href="data:,">
</head>
<body class="door">
<main>
<h1>confab console</h1>
${page.isRefused ? REFUSED : ''}
<p>Run this where the server runs, and open the address that it prints:</p>
<pre><code>confab console</code></pre>
<p class="faint">The address lets one browser in, once, within five minutes.</p>
${page.takesToken ? FORM : ''}
</main>
</body>
</html>
`;

export interface LogInPage {
  readonly style: string;
  readonly isRefused: boolean;
  /** True if the listener has a token, which opens the console as well. */
  readonly takesToken: boolean;
}

const REFUSED = `<p role="alert" class="alert">This address or token is not valid, or it was used already.</p>`;

const FORM = `<form method="post" action="/console/log-in">
<label>Or the token of <code>CONFAB_OPERATOR_TOKEN_FILE</code>
<input name="token" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>`;
