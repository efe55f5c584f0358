import { randomUUID } from 'node:crypto';
import { simulatedFleet } from './simulated-fleet';

describe('a fleet of machines', () => {
  const fleet = (machines: number) =>
    simulatedFleet({ machines, seed: 'test', timeScale: 1, machineNetwork: '10.0.0.0/28', firstAddress: 10 });

  it('has the addresses of its network up to the last one before that of its broadcasts', () => {
    expect(fleet(5).machines).toHaveLength(5);
    expect(() => fleet(6)).toThrow('6 machines from address number 10 do not fit into the network 10.0.0.0/28');
  });

  it.each(['restart', 'repair'] as const)(
    'stays off when it is switched off during a %s of a machine',
    async (what) => {
      const one = fleet(1);
      const machine = one.machine('host-1');
      machine.insert({
        serviceUrl: 'http://127.0.0.1:9',
        infraEnvId: randomUUID(),
        agentVersion: 'x',
        token: '',
        isInsecure: false,
      });
      machine.powerOn();
      const changed = machine[what]();
      await one.powerOff();
      await changed;
      expect(machine.power).toBe('off');
    },
  );
});
