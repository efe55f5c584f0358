import { type PlatformQuestion, supportedPlatforms } from './cluster-requirements.controller';

const METAL: PlatformQuestion = {
  version: '4.18.52',
  architecture: 'x86_64',
  isSingleNode: false,
  manufacturers: [],
};
const VMWARE = 'VMware, Inc.';

describe('the supported platforms', () => {
  it.each<[string, Partial<PlatformQuestion>, readonly string[]]>([
    ['without hosts', {}, ['baremetal', 'nutanix', 'vsphere', 'none', 'external']],
    ['with machines of any manufacturer', { manufacturers: ['Dell Inc.', 'HPE'] }, ['baremetal', 'none', 'external']],
    ['of VMware machines', { manufacturers: [VMWARE, VMWARE] }, ['baremetal', 'vsphere', 'none', 'external']],
    [
      'with machines of different manufacturers',
      { manufacturers: [VMWARE, 'Nutanix'] },
      ['baremetal', 'none', 'external'],
    ],
    ['of Nutanix machines', { manufacturers: ['Nutanix'] }, ['baremetal', 'nutanix', 'none', 'external']],
    ['with a machine that has no inventory', { manufacturers: [VMWARE, undefined] }, ['baremetal', 'none', 'external']],
    ['with a single node', { isSingleNode: true, manufacturers: [VMWARE] }, ['none', 'external']],
    ['with a version without platform external', { version: '4.13.1' }, ['baremetal', 'nutanix', 'vsphere', 'none']],
    ['of s390x', { architecture: 's390x' }, ['baremetal', 'none', 'external']],
  ])('%s', (_name, question, platforms) => {
    expect(supportedPlatforms({ ...METAL, ...question })).toEqual(platforms);
  });
});
