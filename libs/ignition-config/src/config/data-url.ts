const BYTES_PER_STEP = 8_192;

/** The text as a URL that carries it, in UTF-8. */
export function toDataUrl(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += BYTES_PER_STEP)
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_PER_STEP));
  return `data:text/plain;charset=utf-8;base64,${btoa(binary)}`;
}

/** What a data URL carries, read as UTF-8; undefined when it is none. */
export function fromDataUrl(url: string): string | undefined {
  const parts = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  if (!parts) return undefined;
  const [, isBase64, body = ''] = parts;
  try {
    const text = decodeURIComponent(body);
    if (!isBase64) return text;
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
