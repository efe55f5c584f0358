import { hostReason } from '@muster/domain';
import { FAILURE_CAUSES } from '@muster/host-api';
import { clusterRegistered, hostRegistered, onHost, viewsAfter } from '../views/view-events.fixture.spec';

describe('a host whose installation failed', () => {
  it.each(FAILURE_CAUSES.map(({ cause, id, remedy }) => [id, cause, remedy] as const))(
    'has an event with cause and remedy for "%s"',
    async (_, cause, remedy) => {
      const info = `${cause} ${remedy} "coreos-installer install /dev/sda" ended with code 1`;
      const { log } = await viewsAfter(
        clusterRegistered(),
        hostRegistered(),
        onHost('HostEnteredStatus', {
          status: 'error',
          from: 'installing-in-progress',
          statusReason: hostReason('failed-because', { parameters: { info } }),
        }),
      );
      expect(log.at(-1)).toMatchObject({ name: 'host_status_updated', severity: 'error' });
      expect(log.at(-1)?.message).toContain(cause);
      expect(log.at(-1)?.message).toContain(remedy);
    },
  );
});
