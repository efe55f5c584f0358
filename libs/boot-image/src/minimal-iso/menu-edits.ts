import { latin1 } from '../binary';

/** A piece of a text that becomes another one. Positions are bytes of the original. */
export interface TextEdit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
}

const LIVE_ISO = /coreos\.liveiso=\S* ?/g;
const GRUB = { kernel: /^[ \t]*linux(?:efi)?[ \t]+\S.*$/gm, initrd: /^[ \t]*initrd(?:efi)?[ \t]+\S.*$/gm } as const;
const ISOLINUX = { append: /^[ \t]*append[ \t]+\S.*$/gim, initrd: /\binitrd=\S+/ } as const;

/** What makes a boot menu fetch the root file system: edits in order, none of them overlapping. */
export function menuEdits(menu: Uint8Array, rootfsArgument: string, ramdiskPath: string): TextEdit[] {
  // One character per byte, so that positions are bytes.
  const text = latin1(menu);
  const appendLines = [...text.matchAll(ISOLINUX.append)];
  const edits = (appendLines.length > 0 ? appendLines : [...text.matchAll(GRUB.kernel)]).flatMap((line) =>
    kernelLineEdits(line[0], line.index, rootfsArgument),
  );
  for (const line of appendLines) {
    const initrd = ISOLINUX.initrd.exec(line[0]);
    if (initrd)
      edits.push({ at: line.index + initrd.index + initrd[0].length, removed: 0, inserted: `,${ramdiskPath}` });
  }
  if (appendLines.length === 0)
    for (const line of text.matchAll(GRUB.initrd))
      edits.push({ at: line.index + line[0].trimEnd().length, removed: 0, inserted: ` ${ramdiskPath}` });
  return edits.sort((a, b) => a.at - b.at);
}

/** The default arguments as they are then. */
export function minimalKargs(defaultKargs: string, rootfsArgument: string): string {
  return applyEdits(new TextEncoder().encode(defaultKargs), kernelLineEdits(defaultKargs, 0, rootfsArgument)).text;
}

/** Throws nothing: edits come from the text itself. */
export function applyEdits(
  original: Uint8Array,
  edits: readonly TextEdit[],
): { readonly text: string; readonly bytes: Uint8Array } {
  const text = latin1(original);
  let at = 0;
  let edited = '';
  for (const { at: position, removed, inserted } of edits) {
    edited += text.slice(at, position) + inserted;
    at = position + removed;
  }
  edited += text.slice(at);
  return { text: edited, bytes: Uint8Array.from(edited, (character) => character.charCodeAt(0)) };
}

/** By how many bytes what is between two positions becomes longer. */
export function growth(edits: readonly TextEdit[], from: number, to: number): number {
  return edits
    .filter(({ at }) => at >= from && at < to)
    .reduce((sum, { removed, inserted }) => sum + inserted.length - removed, 0);
}

function kernelLineEdits(line: string, start: number, rootfsArgument: string): TextEdit[] {
  const removals = [...line.matchAll(LIVE_ISO)].map(({ 0: found, index }) => ({
    at: start + index,
    removed: found.length,
    inserted: '',
  }));
  return [...removals, { at: start + line.trimEnd().length, removed: 0, inserted: ` ${rootfsArgument}` }];
}
