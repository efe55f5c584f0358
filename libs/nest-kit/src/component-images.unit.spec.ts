import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { HOST_BINARY_INDEX, readComponentImages } from './component-images';
import { readSettings, SettingsError } from './settings/settings-reader';

const directory = temporaryDirectory();
const binary = (architecture: string) => ({ architecture, file: architecture, sha256: architecture, bytes: 1 });
const INDEX = { version: '1', binaries: [binary('x86_64')], earlier: [binary('aarch64')] };
beforeAll(() => writeFileSync(join(directory.path, HOST_BINARY_INDEX), JSON.stringify(INDEX)));
afterAll(() => directory.remove());

const [AGENT, INSTALLER, CONTROLLER] = ['quay.io/a:1', 'quay.io/i:1', 'quay.io/c:1'];
const imagesWith = (environment: Record<string, string>) =>
  readSettings({ MUSTER_HOST_BINARIES: directory.path, ...environment }, readComponentImages);

describe('the programs of hosts', () => {
  it('are the executable, and each is the container image of its setting', () => {
    const executable = 'muster-host:1';
    const agentArchitectures = ['x86_64'];
    const all = { agent: executable, installer: executable, controller: executable, agentArchitectures };
    expect(imagesWith({})).toEqual(all);
    expect(imagesWith({ CONTROLLER_IMAGE: CONTROLLER })).toEqual({ ...all, controller: CONTROLLER });
    expect(imagesWith({ AGENT_DOCKER_IMAGE: AGENT, INSTALLER_IMAGE: INSTALLER, CONTROLLER_IMAGE: CONTROLLER })).toEqual(
      { agent: AGENT, installer: INSTALLER, controller: CONTROLLER, agentArchitectures },
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
