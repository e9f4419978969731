const ACCOUNT = 'confab.account';

/** Messages that wait belong to an account, which has to be known before it is connected. */
export function keepAccount(id: number | null): void {
  try {
    if (id === null) localStorage.removeItem(ACCOUNT);
    else localStorage.setItem(ACCOUNT, String(id));
  } catch {
    // A browser that keeps nothing has no waiting messages from before either.
  }
}

/** Returns the account that this browser logged in with last; null if that is not known. */
export function keptAccount(): string | null {
  try {
    return localStorage.getItem(ACCOUNT);
  } catch {
    return null;
  }
}
