/** Longest `status_info`, in bytes of UTF-8. */
export const MAX_STATUS_INFO_BYTES = 2040;
const MAX_BYTES_PER_UTF16_UNIT = 3;

/** Cuts at a character's end so that at most `bytesMax` bytes of UTF-8 remain. */
export function truncateUtf8(text: string, bytesMax: number): string {
  if (text.length * MAX_BYTES_PER_UTF16_UNIT <= bytesMax) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character.codePointAt(0) ?? 0);
    if (bytes > bytesMax) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
