import { NO_REASON } from '@muster/domain';
import type { HostDocument } from './documents';
import { presentHost } from './presenters';
import { type DiskEligibility, withDiskEligibility } from './v2-infra-env';

const eligibility = (changes: Partial<DiskEligibility> = {}): DiskEligibility => ({
  name: 'sda',
  id: '/dev/sda',
  reasons: [],
  lastingReasons: [],
  sizeBytes: 0,
  ...changes,
});
const shown = (inventory: object, disks: readonly DiskEligibility[] | undefined): unknown =>
  JSON.parse(withDiskEligibility(JSON.stringify(inventory), disks));

describe('withDiskEligibility', () => {
  it('adds the id and the eligibility to a disk and keeps its other members', () => {
    const inventory = {
      hostname: 'a',
      disks: [
        { name: 'sda', serial: 's1' },
        { name: 'sdb', installation_eligibility: { eligible: true } },
      ],
    };
    expect(
      shown(inventory, [eligibility(), eligibility({ name: 'sdb', id: 'wwn-2', reasons: ['too small'] })]),
    ).toEqual({
      hostname: 'a',
      disks: [
        {
          name: 'sda',
          serial: 's1',
          id: '/dev/sda',
          installation_eligibility: { eligible: true, not_eligible_reasons: [] },
        },
        {
          name: 'sdb',
          id: 'wwn-2',
          installation_eligibility: { eligible: false, not_eligible_reasons: ['too small'] },
        },
      ],
    });
  });

  it('returns a disk without an evaluation unchanged', () => {
    const disks = [{ name: 'sdz', installation_eligibility: { eligible: false, not_eligible_reasons: ['removable'] } }];
    expect(shown({ disks }, [eligibility()])).toEqual({ disks });
  });

  it.each([
    ['no evaluation exists', undefined],
    ['there are no disks', []],
  ])('returns the same text when %s', (_when, disks) => {
    expect(withDiskEligibility('{ "disks": null }', disks)).toBe('{ "disks": null }');
  });

  it.each([[{ disks: null }], [{}]])('returns an inventory without disks unchanged: %j', (inventory) => {
    expect(shown(inventory, [eligibility()])).toEqual(inventory);
  });

  it('does not reuse the result of another inventory with the same outcomes', () => {
    const disks = [eligibility()];
    expect(shown({ hostname: 'a' }, disks)).toEqual({ hostname: 'a' });
    expect(shown({ hostname: 'b' }, disks)).toEqual({ hostname: 'b' });
    expect(shown({ hostname: 'a' }, disks)).toEqual({ hostname: 'a' });
  });

  it('keeps the results of inventories up to a total length', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const parsesOf = (hostname: string): number => {
      const disks = [eligibility()];
      const text = JSON.stringify({ hostname, disks: [{ name: 'sda' }] });
      const [one, other] = [withDiskEligibility(text, disks), withDiskEligibility(text, disks)];
      expect(one === other).toBe(true);
      return parse.mock.calls.splice(0).length;
    };
    expect(parsesOf('a')).toBe(1);
    expect(parsesOf('a'.repeat(32 * 1024 * 1024))).toBe(2);
    parse.mockRestore();
  });

  it('determines the inventory of a host in responses', () => {
    const document = {
      role: 'worker',
      _status_reason: NO_REASON,
      _outcomes: {},
      _disks: [eligibility()],
    } as unknown as HostDocument;
    const { inventory = '' } = presentHost(document, { inventory: '{"disks":[{"name":"sda"}]}' });
    expect(JSON.parse(inventory)).toMatchObject({ disks: [{ installation_eligibility: { eligible: true } }] });
  });
});
