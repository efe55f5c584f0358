import { parseAllDocuments } from 'yaml';

/** The parts of an image reference: `host/repository:tag@digest`. */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  /** Tag or digest: the part after the repository in a request. */
  readonly version: string;
  readonly isByDigest: boolean;
}

const DEFAULT_REGISTRY = 'registry-1.docker.io';
/** The namespace of images of Docker Hub whose names have one part. */
const DEFAULT_NAMESPACE = 'library';
/** The other names of Docker Hub in image names and pull secrets. */
const DOCKER_HUB = /^(?:index\.)?docker\.io(?=\/|$)/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;

/** Returns a registry or image name with the host that serves its images. */
export const servedName = (name: string): string => name.replace(DOCKER_HUB, DEFAULT_REGISTRY);

/**
 * Parses an image reference.
 * @throws RangeError that names the invalid part
 */
export function parseImageReference(text: string): ImageReference {
  const [named = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest)))
    throw new RangeError(`The image reference "${text}" has no valid digest. Use name@sha256:<64 hexadecimal digits>.`);
  const slash = named.indexOf('/');
  const first = slash < 0 ? '' : named.slice(0, slash);
  const hasRegistry = first.includes('.') || first.includes(':') || first === 'localhost';
  const registry = hasRegistry ? servedName(first) : DEFAULT_REGISTRY;
  const rest = hasRegistry ? named.slice(slash + 1) : named;
  const colon = rest.lastIndexOf(':');
  const [path, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  const repository = registry === DEFAULT_REGISTRY && !path.includes('/') ? `${DEFAULT_NAMESPACE}/${path}` : path;
  if (!REPOSITORY.test(repository) || (tag !== undefined && !TAG.test(tag)))
    throw new RangeError(
      `"${text}" is not an image reference. Use registry/repository:tag or registry/repository@digest.`,
    );
  return { registry, repository, version: digest ?? tag ?? 'latest', isByDigest: digest !== undefined };
}

export interface MirrorRule {
  /** Registry or repository prefix that is mirrored, or the hosts of a domain: `quay.io/openshift-release-dev`, `*.lan`. */
  readonly source: string;
  readonly mirrors: readonly string[];
  /** Requests are never sent to the source itself. */
  readonly neverContactSource?: boolean;
}

/**
 * Returns the locations of an image in the order in which they are tried. The rules with the longest source apply. A
 * cluster and its service may both have one for the same source.
 */
export function placesOf(reference: ImageReference, rules: readonly MirrorRule[]): readonly ImageReference[] {
  const name = `${reference.registry}/${reference.repository}`;
  const matching = rules.flatMap((rule) => {
    const source = servedName(rule.source);
    const prefix = prefixIn(name, source);
    return prefix === undefined ? [] : [{ rule, source, rest: name.slice(prefix.length) }];
  });
  const longest = Math.max(...matching.map(({ source }) => source.length));
  const applied = matching.filter(({ source }) => source.length === longest);
  const mirrored = applied.flatMap(({ rest, rule }) =>
    rule.mirrors.map((mirror) => {
      const place = servedName(mirror + rest);
      const slash = place.indexOf('/');
      return { ...reference, registry: place.slice(0, slash), repository: place.slice(slash + 1) };
    }),
  );
  return applied.some(({ rule }) => rule.neverContactSource) ? mirrored : [...mirrored, reference];
}

/** Returns the part of an image name that a source matches: the whole host for `*.domain`. */
function prefixIn(name: string, source: string): string | undefined {
  if (!source.startsWith('*.')) return name === source || name.startsWith(`${source}/`) ? source : undefined;
  const [host = ''] = name.split('/');
  return host.endsWith(source.slice(1)) ? host : undefined;
}

interface MirrorEntry {
  readonly source?: unknown;
  readonly mirrors?: readonly unknown[] | null;
  readonly mirrorSourcePolicy?: string;
}

interface MirrorDocument {
  readonly kind?: string;
  readonly spec?: { readonly [list: string]: readonly (MirrorEntry | null)[] | undefined };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Kind of a document → name of the list of mirrors in its `spec`. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['ImageDigestMirrorSet', 'imageDigestMirrors'],
  ['ImageTagMirrorSet', 'imageTagMirrors'],
  ['ImageContentSourcePolicy', 'repositoryDigestMirrors'],
]);

/**
 * Reads the mirrors of IDMS, ITMS and ICSP documents (YAML). Documents of other kinds are ignored.
 * @throws RangeError when the text is not YAML
 */
export function parseMirrorDocuments(text: string): readonly MirrorRule[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    if (document.errors.length > 0) throw new RangeError(`The mirrors are not YAML: ${document.errors[0]?.message}`);
    const { kind, spec } = (document.toJS() ?? {}) as MirrorDocument;
    const entries = spec?.[LISTS.get(kind ?? '') ?? ''] ?? [];
    // YAML reads a member or an item without a value as null.
    return entries.flatMap((entry) => {
      const { mirrors, mirrorSourcePolicy, source } = entry ?? {};
      if (!isText(source)) return [];
      const neverContactSource = mirrorSourcePolicy === 'NeverContactSource';
      return [{ source, mirrors: (mirrors ?? []).filter(isText), neverContactSource }];
    });
  });
}
