/** Whether an origin is one of those: `https://console.example.com`, or with `*` for any part: `https://*.example.com`. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    const [first = '', ...rest] = pattern.toLowerCase().split('*');
    const text = origin.toLowerCase();
    if (rest.length === 0) return text === first;
    const last = rest.at(-1) ?? '';
    // One star, as in assisted-image-service: the parts before and after it must not overlap.
    return text.startsWith(first) && text.endsWith(last) && text.length >= first.length + last.length;
  });
}
