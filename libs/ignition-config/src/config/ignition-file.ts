import type { IgnitionConfig, IgnitionFile } from './ignition-config';

const BYTES_PER_STEP = 8_192;

/** Returns a data URL that contains the text in UTF-8. */
export function toDataUrl(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += BYTES_PER_STEP)
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_PER_STEP));
  return `data:text/plain;charset=utf-8;base64,${btoa(binary)}`;
}

/** Returns the content of a data URL, read as UTF-8. Undefined for other URLs. */
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

export const MODE_READABLE = 0o644;
export const MODE_PRIVATE = 0o600;
export const MODE_EXECUTABLE = 0o755;

/** Returns a file that replaces an existing file of the image. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Returns the text of a file in the config. Undefined when the config has no such file or only a remote one. */
export function readTextFile(config: IgnitionConfig, path: string): string | undefined {
  const source = config.storage?.files?.findLast((file) => file.path === path)?.contents?.source;
  return source === undefined ? undefined : fromDataUrl(source);
}
