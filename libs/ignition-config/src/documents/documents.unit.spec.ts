import fc from 'fast-check';
import { parseInstallConfigOverride } from '../install-config/override-install-config';
import { jsonLineOf, parseIgnitionOverride } from '../merge/ignition-override';
import { isCertificateList, splitCertificates } from './certificates';
import { readYaml, toPlain, YAML_ALIASES_MAX, YAML_DEPTH_MAX } from './read-yaml';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB+a/=\n-----END CERTIFICATE-----\n';

describe('readYaml', () => {
  it('returns documents with their lines', () => {
    const read = readYaml('a: 1\n---\nb: [x, {c: |\n   text {{{[[\n}]\n');
    expect(read).toMatchObject({ kind: 'refused' });
    const two = readYaml('a: 1\n---\nb:\n- x\n- c: |\n    text {{{[[\n');
    if (two.kind === 'refused') throw new Error(two.fault.reason);
    expect(two.documents.map((document) => toPlain(document)?.value)).toEqual([
      { a: 1 },
      { b: ['x', { c: 'text {{{[[\n' }] },
    ]);
  });

  it.each([
    ['lists in lists', '- '.repeat(1_000) + 'x', 1],
    ['flow lists', '['.repeat(1_000) + ']'.repeat(1_000), 1],
    ['flow mappings', '{a: '.repeat(1_000) + '}'.repeat(1_000), 1],
    ['complex keys', '? '.repeat(1_000) + 'x', 1],
    ['mappings', Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), YAML_DEPTH_MAX],
    ['lists that never end', '- '.repeat(60) + '['.repeat(60), 1],
  ])('refuses nesting of %s that is too deep before it parses the text', (_, text, line) => {
    const reason = `More than ${YAML_DEPTH_MAX} levels of lists and mappings are not supported.`;
    expect(readYaml(text)).toEqual({ kind: 'refused', fault: { reason, line } });
  });

  it('accepts a document of the maximum depth, and long documents', () => {
    expect(readYaml('- '.repeat(YAML_DEPTH_MAX - 1) + 'x').kind).toBe('read');
    expect(readYaml(`${'a:\n- b: [c, {d: e}]\n  f: g\n---\n'.repeat(2_000)}`).kind).toBe('read');
  });

  it('refuses a duplicate key with its line in a mapping of any size', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(readYaml(keys).kind).toBe('read');
    expect(readYaml(`${keys}\nk5: 2`)).toEqual({
      kind: 'refused',
      fault: { reason: "The key 'k5' occurs twice.", line: 20_001 },
    });
    expect(readYaml('1: a\n"1": b').kind).toBe('read');
  });

  it('refuses too many aliases', () => {
    const text = `- &a x\n${'- *a\n'.repeat(YAML_ALIASES_MAX + 1)}`;
    expect(readYaml(text)).toMatchObject({ kind: 'refused', fault: { line: YAML_ALIASES_MAX + 2 } });
  });

  it('accepts or refuses any text without throwing (fuzzed for 5 s at most)', () => {
    const part = fc.constantFrom(
      ...'-?:[]{},&*!|>\'"#%@ \n\ta1'.split(''),
      '- ',
      ': ',
      '<<: *a',
      '\n  ',
      '---\n',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 400 }), fc.integer({ min: 1, max: 300 }), (parts, times) => {
        const read = readYaml(parts.join('').repeat(times).slice(0, 4_000));
        if (read.kind === 'read') for (const document of read.documents) toPlain(document);
      }),
      { numRuns: 300, interruptAfterTimeLimit: 5_000 },
    );
  });
});

describe('certificate lists', () => {
  it('accept PEM certificates with blanks between them', () => {
    expect(splitCertificates(`\n${CERTIFICATE}\n ${CERTIFICATE}`)).toHaveLength(2);
    expect(isCertificateList('')).toBe(false);
    expect(isCertificateList('-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----')).toBe(false);
  });

  it('are refused for one other character after many certificates', () => {
    expect(isCertificateList(CERTIFICATE.repeat(10_000))).toBe(true);
    expect(isCertificateList(`${CERTIFICATE.repeat(10_000)}x`)).toBe(false);
    expect(isCertificateList('-----BEGIN CERTIFICATE-----'.repeat(10_000))).toBe(false);
  });
});

describe('overrides of users', () => {
  it.each([
    ['install_config_overrides', (text: string) => parseInstallConfigOverride(text)],
    ['ignition_config_override', (text: string) => parseIgnitionOverride(text, 'ignition_config_override')],
    ['certificates', (text: string) => splitCertificates(text)],
  ])('%s are accepted or refused for any text without throwing (fuzzed for 5 s at most)', (_, parse) => {
    const part = fc.oneof(
      fc.constantFrom(
        ...'{}[]",:\\ \n01'.split(''),
        '"ignition":',
        '{"version":"3.1.0"}',
        '"storage":{"files":[',
        '"path":"/a"',
      ),
      fc.constantFrom(
        '"additionalTrustBundle":"',
        '-----BEGIN CERTIFICATE-----',
        'MIIB',
        '-----END CERTIFICATE-----',
        '__proto__',
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 1, max: 2_000 }), (parts, times) => {
        parse(parts.join(''));
        parse(parts.join('').repeat(times).slice(0, 100_000));
      }),
      { numRuns: 300, interruptAfterTimeLimit: 5_000 },
    );
  });

  it('are refused when they are nested too deep', () => {
    const deep = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    expect(parseInstallConfigOverride(deep).kind).toBe('refused');
    expect(parseIgnitionOverride(`{"ignition":{"version":"3.1.0"},"storage":${deep}}`, 'x').kind).toBe('refused');
  });
});

describe('jsonLineOf', () => {
  const text = '{\n "a": [1,\n  {"b\\"": "x, ]}",\n   "c": null}],\n "a2": {}\n}';

  it.each([
    [[], 1],
    [['a'], 2],
    [['a', 1], 3],
    [['a', 1, 'c'], 4],
    [['a2'], 5],
    [['a', 2], undefined],
    [['a', 0, 'x'], undefined],
    [['none'], undefined],
  ] as const)('returns the line of %j', (path, line) => {
    expect(jsonLineOf(text, path)).toBe(line);
  });

  it('returns a line for every member of any document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (document) => {
        // Names like 10 would be sorted first in an object.
        const names = Object.keys(document).filter((name) => !/^\d+$/.test(name));
        const lined = `{\n${names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(document[name])}`).join(',\n')}}`;
        names.forEach((name, index) => expect(jsonLineOf(lined, [name])).toBe(index + 2));
      }),
    );
  });
});
