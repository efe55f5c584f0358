/** The parts of a service unit that say how its program is started. */
export interface UnitCommand {
  readonly environment: ReadonlyMap<string, string>;
  /** Of ExecStart, without the leading dashes; a flag without a value holds an empty text. */
  readonly flags: ReadonlyMap<string, string>;
}

export function parseUnit(contents: string): UnitCommand {
  const lines = contents.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const valuesOf = (key: string): string[] =>
    lines.flatMap((line) => (line.trim().startsWith(`${key}=`) ? [line.trim().slice(key.length + 1)] : []));
  const environment = new Map(
    valuesOf('Environment')
      .flatMap(splitArguments)
      .map((word) => {
        const equals = word.indexOf('=');
        return [word.slice(0, equals), word.slice(equals + 1)] as const;
      }),
  );
  return { environment, flags: parseFlags(valuesOf('ExecStart').flatMap(splitArguments).slice(1)) };
}

/** `--name value`, `--name=value` and `-name`, as assisted-installer-agent reads them. */
function parseFlags(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    const flag = /^--?([^=]+)(?:=(.*))?$/s.exec(word);
    if (!flag?.[1]) return;
    const next = words[index + 1];
    flags.set(flag[1], flag[2] ?? (next === undefined || next.startsWith('-') ? '' : next));
  });
  return flags;
}

/** Messages of a unit's line: quotes keep blanks together, `%%` is a percent sign. */
function splitArguments(line: string): string[] {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2').replaceAll('%%', '%'));
}
