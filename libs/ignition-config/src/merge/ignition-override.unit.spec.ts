import { parseIgnitionOverride } from './ignition-override';

const parse = (document: unknown) =>
  parseIgnitionOverride(typeof document === 'string' ? document : JSON.stringify(document), 'ignition_config_override');
const version3 = { ignition: { version: '3.1.0' } };

describe('An ignition override', () => {
  it('of a supported version is accepted as it is', () => {
    const document = { ...version3, storage: { files: [{ path: '/etc/a' }] }, unknown: { part: 1 } };
    expect(parse(document)).toEqual({ kind: 'parsed', config: document });
  });

  it.each([
    ['{"ignition":', /not JSON/],
    [[], /not a JSON object/],
    [{}, /ignition\.version/],
    [{ ignition: { version: '2.2.0' } }, /ignition\.version/],
    [{ ...version3, storage: [] }, /storage is not an object/],
    [{ ...version3, storage: { files: {} } }, /storage\.files is not a list/],
    [{ ...version3, storage: { files: [{ path: '/a' }, { path: 'b' }] } }, /storage\.files\[1\] has no absolute path/],
    [{ ...version3, systemd: { units: [{}] } }, /systemd\.units\[0\] has no name/],
    [{ ...version3, a: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as unknown }, /nested/],
  ])('%j is refused with the reason', (document, reason) => {
    expect(parse(document)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', reason: expect.stringMatching(reason) as string },
    });
  });

  it('of another version learns which ones there are', () => {
    expect(parse({ ignition: { version: '4.0.0' } })).toMatchObject({
      refusal: { allowed: ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0'] },
    });
  });
});
