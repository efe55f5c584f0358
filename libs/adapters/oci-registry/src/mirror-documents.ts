import { parseAllDocuments } from 'yaml';
import type { MirrorRule } from './image-reference';

interface MirrorEntry {
  readonly source?: string;
  readonly mirrors?: readonly string[];
  readonly mirrorSourcePolicy?: string;
}

interface MirrorDocument {
  readonly kind?: string;
  readonly spec?: { readonly [list: string]: readonly MirrorEntry[] | undefined };
}

/** Kind of a document → the list in its `spec` that has the mirrors. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['ImageDigestMirrorSet', 'imageDigestMirrors'],
  ['ImageTagMirrorSet', 'imageTagMirrors'],
  ['ImageContentSourcePolicy', 'repositoryDigestMirrors'],
]);

/**
 * Reads the mirrors of IDMS, ITMS and ICSP documents (YAML). Documents of other kinds are passed over.
 * @throws RangeError when the text is no YAML
 */
export function parseMirrorDocuments(text: string): readonly MirrorRule[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    if (document.errors.length > 0) throw new RangeError(`The mirrors are not YAML: ${document.errors[0]?.message}`);
    const { kind, spec } = (document.toJS() ?? {}) as MirrorDocument;
    const entries = spec?.[LISTS.get(kind ?? '') ?? ''] ?? [];
    return entries.flatMap(({ mirrors = [], mirrorSourcePolicy, source }) =>
      source ? [{ source, mirrors, neverContactSource: mirrorSourcePolicy === 'NeverContactSource' }] : [],
    );
  });
}
