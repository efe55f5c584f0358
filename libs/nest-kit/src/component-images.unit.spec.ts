import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { HOST_BINARY_INDEX, readComponentImages } from './component-images';
import { readSettings, SettingsError } from './settings/settings-reader';

const directory = temporaryDirectory();
beforeAll(() =>
  writeFileSync(join(directory.path, HOST_BINARY_INDEX), JSON.stringify({ version: '1', binaries: [], earlier: [] })),
);
afterAll(() => directory.remove());

const [AGENT, INSTALLER, CONTROLLER] = ['quay.io/a:1', 'quay.io/i:1', 'quay.io/c:1'];
const imagesWith = (environment: Record<string, string>) =>
  readSettings({ MUSTER_HOST_BINARIES: directory.path, ...environment }, readComponentImages);

describe('the programs of hosts', () => {
  it('are the executable, and each is the container image of its setting', () => {
    const executable = 'muster-host:1';
    expect(imagesWith({})).toEqual({ agent: executable, installer: executable, controller: executable });
    expect(imagesWith({ CONTROLLER_IMAGE: CONTROLLER })).toEqual({
      agent: executable,
      installer: executable,
      controller: CONTROLLER,
    });
    expect(imagesWith({ AGENT_DOCKER_IMAGE: AGENT, INSTALLER_IMAGE: INSTALLER, CONTROLLER_IMAGE: CONTROLLER })).toEqual(
      { agent: AGENT, installer: INSTALLER, controller: CONTROLLER },
    );
  });

  it('are refused with an installer in a container whose controller would be the executable', () => {
    expect(() => imagesWith({ INSTALLER_IMAGE: INSTALLER })).toThrow(SettingsError);
    expect(() => imagesWith({ INSTALLER_IMAGE: INSTALLER })).toThrow(
      /^Setting CONTROLLER_IMAGE is missing\. Expected: a container image, because an installer from INSTALLER_IMAGE /,
    );
    const withoutExecutable = { INSTALLER_IMAGE: INSTALLER, MUSTER_HOST_BINARIES: '' };
    expect(imagesWith(withoutExecutable)).toMatchObject({ installer: INSTALLER });
  });
});
