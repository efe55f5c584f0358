import fc from 'fast-check';
import { parseRegistries, usableMirrors } from './parse-registries';

describe('registries.conf', () => {
  it('contains the mirrors of sources', () => {
    const text = `
unqualified-search-registries = ["registry.lan"]

[[registry]]
location = "quay.io/openshift-release-dev/ocp-release"
  [[registry.mirror]]
  location = "mirror.lan:5000/ocp/release"
  [[registry.mirror]]
  location = "other.lan/ocp/release"

[[registry]]
prefix = "*.example.com"
location = "example.com"

[[registry]]
prefix = "quay.io/art"
location = "quay.io"
blocked = true
  [[registry.mirror]]
  location = "mirror.lan:5000/art"

[[registry]]
prefix = "registry.redhat.io"
location = "copy.lan/redhat"
  [[registry.mirror]]
  location = "mirror.lan:5000/redhat"

[[registry]]
location = "ghcr.io"
blocked = true

[[registry]]
location = "registry.lan"
`;
    expect(parseRegistries(text)).toEqual({
      kind: 'parsed',
      mirrors: [
        {
          source: 'quay.io/openshift-release-dev/ocp-release',
          mirrors: ['mirror.lan:5000/ocp/release', 'other.lan/ocp/release'],
        },
        { source: '*.example.com', mirrors: ['example.com'], neverContactSource: true },
        { source: 'quay.io/art', mirrors: ['mirror.lan:5000/art'], neverContactSource: true },
        {
          source: 'registry.redhat.io',
          mirrors: ['mirror.lan:5000/redhat', 'copy.lan/redhat'],
          neverContactSource: true,
        },
        { source: 'ghcr.io', mirrors: [], neverContactSource: true },
      ],
    });
  });

  it('has the first table of several with one prefix, and names without a slash at their end', () => {
    const text = `
[[registry]]
prefix = "quay.io/"
location = "mirror.lan/quay//"
[[registry]]
location = "ghcr.io"
blocked = true
[[registry]]
location = "quay.io"
  [[registry.mirror]]
  location = "other.lan"
`;
    expect(parseRegistries(text)).toEqual({
      kind: 'parsed',
      mirrors: [
        { source: 'quay.io', mirrors: ['mirror.lan/quay'], neverContactSource: true },
        { source: 'ghcr.io', mirrors: [], neverContactSource: true },
      ],
    });
  });

  const quay = 'location = "quay.io"\n';
  const mirror = '[[registry.mirror]]\n';
  const inMirror = `${mirror}location = "mirror.lan"\n`;

  // Podman and CRI-O do not load these.
  it.each([
    ['location = "https://quay.io"', '"https://quay.io" must not begin with http:// or https://'],
    ['prefix = "http://quay.io"\nlocation = "quay.io"', '"http://quay.io" must not begin with'],
    [`${quay}${mirror}location = "https://mirror.lan"`, '"https://mirror.lan" must not begin with'],
    ['', 'the location is missing'],
    ['location = 5', 'the location is missing'],
    ['prefix = "quay.io"', 'the location is missing'],
    [`${quay}${mirror}`, 'the location of a mirror is missing'],
    ['location = "ghcr.io"\nblocked = true', 'the tables of "ghcr.io" must have the same value of blocked'],
    ['location = "*.quay.io:443"', '"*.quay.io:443" must have the form *.example.com'],
    [`${quay}pull-from-mirror = "all"`, 'pull-from-mirror belongs to a mirror'],
    [`${quay}${inMirror}pull-from-mirror = "x"`, 'must be all, digest-only or tag-only, not "x"'],
    [`${quay}mirror-by-digest-only = true\n${inMirror}pull-from-mirror = "all"`, 'exclude each other'],
  ])('is refused with the place of the fault: %j', (table, reason) => {
    const parsed = parseRegistries(`[[registry]]\nlocation = "ghcr.io"\n[[registry]]\n${table}`);
    expect(parsed.kind === 'refused' && parsed.reason).toMatch(/^Table [12] of \[\[registry\]\]: /);
    expect(parsed.kind === 'refused' && parsed.reason).toContain(reason);
  });

  it('may have a prefix of all hosts of a domain without a location, and mirrors for one kind of names', () => {
    const text = `
[[registry]]
prefix = "*.example.com"
  [[registry.mirror]]
  location = "mirror.lan"
  pull-from-mirror = "digest-only"
`;
    expect(parseRegistries(text)).toEqual({
      kind: 'parsed',
      mirrors: [{ source: '*.example.com', mirrors: ['mirror.lan'] }],
    });
  });

  it.each([
    ['[[registry', 'The text is not TOML'],
    ['', 'The document has no [[registry]].'],
    ['registry = 5', 'The document has no [[registry]].'],
  ])('is refused when it is invalid: %j', (text, reason) => {
    const parsed = parseRegistries(text);
    expect(parsed.kind === 'refused' && parsed.reason).toContain(reason);
  });

  it('is accepted or refused without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom('[[registry]]\n', '[[registry]]\nmirror = 1', '[[registry]]\nmirror = [1]'),
        ),
        (text) => {
          expect(['parsed', 'refused']).toContain(parseRegistries(text).kind);
        },
      ),
    );
  });
});

describe('mirrors of a cluster', () => {
  it('do not apply when none of them is permitted', () => {
    const blocked = { source: 'quay.io', mirrors: [], neverContactSource: true };
    const foreign = { source: 'quay.io/a', mirrors: ['foreign.lan/a', 'foreign.lan/a'], neverContactSource: true };
    expect(usableMirrors([blocked, foreign], ['mirror.lan'])).toEqual({
      usable: [blocked],
      refused: ['foreign.lan/a'],
    });
  });
});
