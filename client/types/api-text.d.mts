export function apiText(document: object): string;
