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
