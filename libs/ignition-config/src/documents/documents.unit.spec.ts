import { rootCertificates } from 'node:tls';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseInstallConfigOverride } from '../install-config/override-install-config';
import { parseIgnitionOverride } from '../merge/ignition-override';
import { certificatesFault, splitCertificates } from './certificates';
import {
  parseAsKubernetes,
  readYaml,
  stringifyAsJson,
  stringifyForKubernetes,
  toPlain,
  YAML_ALIASES_MAX,
  YAML_DEPTH_MAX,
} from './read-yaml';
import { jsonLineOf } from './values';

const [CERTIFICATE = '', OTHER_CERTIFICATE = ''] = rootCertificates;

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

describe('YAML as Kubernetes reads it', () => {
  // Values of go-yaml v2, with which sigs.k8s.io/yaml reads manifests.
  it.each<readonly [string, unknown]>([
    ['0644', 420],
    ['0o644', 420],
    ['0O17', 15],
    ['-0x1F', -31],
    ['0X1f', 31],
    ['0b101', 5],
    ['089', 89],
    ['+12', 12],
    ['1_000', 1_000],
    ['-_1', -1],
    ['_1', '_1'],
    ['0x', '0x'],
    ['0x_', '0x_'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-18446744073709551615', -18446744073709551615n],
    ['.', '.'],
    ['-.', '-.'],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['._5', '._5'],
    ['1.', 1],
    ['1_0.5_0', 10.5],
    ['1e3', 1_000],
    ['e3', 'e3'],
    ['1e400', '1e400'],
    ['1__e__+__5', 100_000],
    ['-_1_._5e_1', -15],
    ['1__e__x', '1__e__x'],
    ['.5_e1', '.5_e1'],
    ['.inf', Infinity],
    ['1:30', '1:30'],
    ['1:30.5', '1:30.5'],
    ['2024-01-01', '2024-01-01'],
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
    ['10.0.0.1', '10.0.0.1'],
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['"yes"', 'yes'],
    ['~', null],
    ['!!str 0644', '0644'],
    ['!!int "0644"', 420],
    ['!!timestamp 2024-01-01', '2024-01-01'],
  ])('reads %s as %p', (source, value) => {
    expect(parseAsKubernetes(`a: ${source}`)).toEqual({ a: value });
  });

  it('merges mappings and uses the last of equal keys', () => {
    const text = 'a: &a {b: 1, c: 2}\nd:\n  <<: *a\n  c: 3\ne: 1\ne: 2\n';
    expect(parseAsKubernetes(text)).toEqual({ a: { b: 1, c: 2 }, d: { b: 1, c: 3 }, e: 2 });
  });

  const word = fc.oneof(
    fc.stringMatching(/^[-+._:~<=0-9a-fxobXOBynYN ]{0,8}$/),
    fc.constantFrom(
      'yes',
      'No',
      'on',
      'OFF',
      'null',
      '<<',
      '=',
      '1:30',
      '2024-01-01',
      '0o1_7',
      'a: b',
      '- a',
      '#',
      '!a',
      '&a',
    ),
    fc.string(),
  );
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.boolean(),
      fc.constant(null),
      // -0 and 0 are the same JSON number. A number without fraction is read as a bigint when it is large.
      fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 }).map((number) => number + 0),
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).filter((number) => !Number.isSafeInteger(Number(number))),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  it('reads the values that were written (property)', () => {
    fc.assert(fc.property(values, (value) => expect(parseAsKubernetes(stringifyForKubernetes(value))).toEqual(value)));
  });

  it('writes texts that a reader of YAML 1.1 or 1.2 reads as texts (property)', () => {
    fc.assert(
      fc.property(word, (text) => {
        const written = stringifyForKubernetes([text]);
        expect(parse(written)).toEqual([text]);
        expect(parse(written, { schema: 'yaml-1.1' })).toEqual([text]);
      }),
    );
  });

  it('writes JSON (property)', () => {
    const isSmall = (value: unknown): boolean => !/\d{16}/.test(stringifyAsJson(value));
    fc.assert(
      fc.property(values.filter(isSmall), (value) => expect(JSON.parse(stringifyAsJson(value))).toEqual(value)),
    );
    expect(stringifyAsJson([18446744073709551615n])).toBe('[ 18446744073709551615 ]\n');
  });
});

describe('certificate lists', () => {
  const unreadable = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

  it.each([
    ['blanks', `\n${CERTIFICATE}\n ${OTHER_CERTIFICATE}\n\n`],
    ['comments', `# Corporate Root CA\n${CERTIFICATE}\nsubject=CN = b\nissuer=CN = b\n${OTHER_CERTIFICATE}\n# end`],
    ['nothing', `${CERTIFICATE}${OTHER_CERTIFICATE}`],
  ])('are the blocks of a text with %s between them', (_, text) => {
    expect(certificatesFault(text)).toBeUndefined();
    expect(splitCertificates(text)).toEqual([CERTIFICATE, OTHER_CERTIFICATE]);
  });

  it.each([
    ['an empty text', '', 'it contains no PEM block of type CERTIFICATE.'],
    ['another text', '# Corporate Root CA', 'it contains no PEM block of type CERTIFICATE.'],
    ['an unreadable block', `${CERTIFICATE}\n${unreadable}`, 'PEM block 2 of 2 cannot be read as a certificate.'],
    ['another block', `${key}${CERTIFICATE}`, 'PEM block 1 of 2 cannot be read as a certificate.'],
    ['a block without end', CERTIFICATE.slice(0, -9), 'PEM block 1 of 1 cannot be read as a certificate.'],
    ['blocks in a block', '-----BEGIN CERTIFICATE-----\n'.repeat(10_000), 'PEM block 1 of 10000 cannot be read'],
  ])('are refused for %s', (_, text, fault) => {
    expect(certificatesFault(text)).toContain(fault);
  });

  it('are split without blocks of other kinds and without blocks that have no end', () => {
    expect(splitCertificates(`${key}${CERTIFICATE}\n${CERTIFICATE.slice(0, -9)}`)).toEqual([CERTIFICATE]);
  });
});

describe('overrides of users', () => {
  it.each([
    ['install_config_overrides', (text: string) => parseInstallConfigOverride(text)],
    ['ignition_config_override', (text: string) => parseIgnitionOverride(text, 'ignition_config_override')],
    ['certificates', (text: string) => certificatesFault(text)],
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
