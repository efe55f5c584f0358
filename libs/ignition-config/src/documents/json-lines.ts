type Path = readonly (string | number)[];

/**
 * Returns the line, counted from 1, on which the value at `path` begins in a JSON text; undefined when there is no such value.
 * The text has been parsed before, so it is valid, and its depth is bounded. It is read once, from the start.
 */
export function jsonLineOf(text: string, path: Path): number | undefined {
  const offset = offsetOf(text, path);
  return offset === undefined ? undefined : lineAt(text, offset);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function offsetOf(text: string, path: Path): number | undefined {
  let at = skipBlanks(text, 0);
  for (const step of path) {
    const found: number | undefined = memberOf(text, at, step);
    if (found === undefined) return undefined;
    at = found;
  }
  return at;
}

/** Offset of a member of the list or object at `at`. The last of several members of one name counts, as in JSON.parse. */
function memberOf(text: string, start: number, step: string | number): number | undefined {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return undefined;
  let found: number | undefined;
  let at = skipBlanks(text, start + 1);
  for (let index = 0; text[at] !== ']' && text[at] !== '}'; index += 1) {
    let name: string | number = index;
    if (isObject) {
      const end = endOfString(text, at);
      name = String(JSON.parse(text.slice(at, end)));
      // The colon follows the name.
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    if (name === step) found = at;
    at = skipBlanks(text, endOfValue(text, at));
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (depth === 0 && (character === ',' || character === ']' || character === '}')) return at;
    else {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      at += 1;
    }
    if (depth === 0 && (character === ']' || character === '}' || character === '"')) return at;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}
