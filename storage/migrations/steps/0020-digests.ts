/** Schema 20: the plan of weekly mails, which is empty at first. Older versions do not know it. */
export function beginWithoutDigests() {}
