import { DOCUMENT_VALUES_MAX } from '../documents/values';
import { authoritiesOf, parseIgnitionOverride } from './ignition-override';

const parse = (document: unknown) =>
  parseIgnitionOverride(typeof document === 'string' ? document : JSON.stringify(document), 'ignition_config_override');
const version3 = { ignition: { version: '3.1.0' } };

describe('Ignition override', () => {
  it('is refused when it has too many values', () => {
    const withFiles = (count: number) =>
      parse({ ...version3, storage: { files: Array.from({ length: count }, (_, index) => ({ path: `/${index}` })) } });
    expect(withFiles(DOCUMENT_VALUES_MAX / 2 - 3).kind).toBe('parsed');
    expect(withFiles(DOCUMENT_VALUES_MAX / 2)).toMatchObject({
      refusal: { reason: expect.stringContaining(`it has more than ${DOCUMENT_VALUES_MAX} values`) as string },
    });
  });

  it('of a supported version is accepted as it is', () => {
    const document = { ...version3, storage: { files: [{ path: '/etc/a' }] }, unknown: { part: 1 } };
    expect(parse(document)).toEqual({ kind: 'parsed', config: document });
  });

  it.each([
    ['{"ignition":', /not JSON/],
    ['{"passwordHash": hunter2}', /not JSON \(Unexpected token 'h'\)/],
    [[], /not a JSON object/],
    [{}, /ignition\.version/],
    [{ ignition: { version: '2.2.0' } }, /ignition\.version/],
    ['{\n  "ignition": {"version": "3.1.0"},\n  x\n}', /line 3, column 3/],
    [{ ...version3, storage: [] }, /storage must be an object, not a list of 0 entries/],
    [{ ...version3, storage: { files: {} } }, /storage\.files must be a list, not an object/],
    [
      { ...version3, storage: { files: [{ path: '/a' }, { path: 'b' }] } },
      /line 1, storage\.files\[1\]\.path must be an absolute path without "\.\.", "\." and empty parts, not "b"/,
    ],
    [{ ...version3, storage: { files: [{ path: '/a/../b' }] } }, /without "\.\."/],
    [
      { ...version3, storage: { files: [{ path: '/a' }, { path: '/a' }] } },
      /files\[1\]: path \/a occurs at storage\.files\[0\] too/,
    ],
    [
      { ...version3, storage: { files: [{ path: '/a' }], links: [{ path: '/a', target: 'b' }] } },
      /links\[0\]: path \/a occurs at/,
    ],
    [{ ...version3, storage: { files: [{ path: '/a', mode: '420' }] } }, /mode must be a file mode/],
    [
      { ...version3, storage: { files: [{ path: '/a', contents: { source: 'ftp://x' } }] } },
      /contents\.source must be a URL of http, https, tftp, s3, arn, gs or data .*, not "ftp:\/\/x"/,
    ],
    [
      { ...version3, storage: { files: [{ path: '/a', contents: { source: 'data:;base64,YQ' } }] } },
      /files\[0\]\.contents\.source must be .* base64 with its padding\), not "data:;base64,YQ"/,
    ],
    [
      { ...version3, storage: { filesystems: [{ device: '/dev/sda', path: '/var' }] } },
      /line 1, storage\.filesystems\[0\]: format is required together with path/,
    ],
    [{ ...version3, storage: { filesystems: [{ device: '/dev/a', label: 'a', format: '' }] } }, /together with label/],
    [{ ...version3, storage: { links: [{ path: '/a' }] } }, /links\[0\]\.target is required/],
    [{ ...version3, systemd: { units: [{}] } }, /systemd\.units\[0\]\.name is required/],
    [
      { ...version3, systemd: { units: [{ name: 'x' }] } },
      /name must be the name of a unit with its kind, such as x\.service, not "x"/,
    ],
    [
      { ...version3, systemd: { units: [{ name: 'x.service', enabled: 'yes' }] } },
      /enabled must be true or false, not "yes"/,
    ],
    [{ ...version3, systemd: { units: [{ name: 'x.service', dropins: [{ name: 'a' }] }] } }, /ends in \.conf/],
    [{ ...version3, passwd: { users: [{ name: 'a' }, { name: 'a' }] } }, /users\[1\]: name a occurs at/],
    [{ ...version3, storage: { luks: [{ name: 'a' }] } }, /storage\.luks requires version 3\.2\.0 or later/],
    [{ ...version3, kernelArguments: { shouldExist: ['a'] } }, /kernelArguments requires version 3\.3\.0 or later/],
    [{ ...version3, storage: { files: Array.from({ length: 9 }, () => ({})) } }, /And 4 more\./],
    [{ ...version3, a: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as unknown }, /nested/],
  ])('%j is refused with the reason', (document, reason) => {
    expect(parse(document)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', reason: expect.stringMatching(reason) as string },
    });
  });

  it('is read in any case, as by Ignition', () => {
    const named = (members: object) => ({ Ignition: { Version: '3.1.0' }, Storage: { FILES: [members] } });
    expect(parse(named({ Path: '/a', Contents: { fourCE: 1 } }))).toEqual({
      kind: 'parsed',
      config: { ...version3, storage: { files: [{ path: '/a', contents: { fourCE: 1 } }] } },
    });
    expect(parse({ ...version3, storage: { fileſ: [{ path: 'a' }] } })).toMatchObject({
      refusal: { reason: expect.stringContaining('storage.files[0].path must be an absolute path') as string },
    });
  });

  it('is refused when a member occurs in two cases', () => {
    const files = [{ path: '/a' }];
    expect(parse({ ...version3, storage: { files, Files: files } })).toMatchObject({
      refusal: { reason: expect.stringContaining('storage.Files occurs in another case too') as string },
    });
  });

  it('treats a member that is null as absent', () => {
    const files = [{ path: '/a', mode: null }];
    expect(parse({ ...version3, storage: { files, links: null } })).toMatchObject({ kind: 'parsed' });
    expect(parse({ ...version3, storage: { files: [{ path: null }] } })).toMatchObject({
      refusal: { reason: expect.stringContaining('storage.files[0].path is required') as string },
    });
  });

  it('of another version is refused with the supported versions', () => {
    expect(parse({ ignition: { version: '4.0.0' } })).toMatchObject({
      refusal: { allowed: ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'] },
    });
  });

  it('is refused with the line of the error', () => {
    const text =
      '{\n "ignition": {"version": "3.1.0"},\n "systemd": {\n  "units": [\n   {"name": "a.service",\n    "mask": 1}\n]}}';
    expect(parse(text)).toMatchObject({
      refusal: {
        reason: 'ignition_config_override cannot be used: line 6, systemd.units[0].mask must be true or false, not 1.',
      },
    });
  });
});

describe('certificate authorities of a config', () => {
  it('are those that it contains', () => {
    const sources = ['data:,one', `data:text/plain;base64,${btoa('two\n')}`, 'https://ca.example.com/ca.pem'];
    const certificateAuthorities = sources.map((source) => ({ source }));
    expect(authoritiesOf({ ignition: { version: '3.2.0', security: { tls: { certificateAuthorities } } } })).toBe(
      'one\ntwo\n',
    );
  });

  it('are empty without them', () => {
    expect(authoritiesOf({ ignition: { version: '3.2.0' } })).toBe('');
    expect(authoritiesOf(undefined)).toBe('');
  });
});
