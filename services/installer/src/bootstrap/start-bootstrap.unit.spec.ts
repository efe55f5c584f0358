import { runRecorded } from '../recorded-host.fixture.spec';

describe('the name of a bootstrap host', () => {
  const renamed = async (name: string): Promise<boolean> => {
    const { commands, failure } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '1'],
      recording: [['hostname', `${name}\n`]],
      files: {
        '/usr/bin/oc': '',
        '/opt/openshift/.bootkube.done': '',
        '/opt/openshift/master.ign': JSON.stringify({ ignition: { version: '3.2.0' } }),
      },
    });
    expect(failure).toBeUndefined();
    return commands.includes('hostnamectl set-hostname random-hostname-id');
  };

  it.each(['localhost', 'localhost.localdomain', 'Node-1', `n${'.abc'.repeat(16)}`, 'node_1', ''])(
    'is replaced when a node cannot have it: "%s"',
    async (name) => expect(await renamed(name)).toBe(true),
  );

  it.each(['node-1', 'node-1.prod.example.com'])('is kept otherwise: "%s"', async (name) =>
    expect(await renamed(name)).toBe(false),
  );
});
