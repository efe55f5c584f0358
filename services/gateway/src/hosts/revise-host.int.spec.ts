import { RegistrationService } from '@muster/contracts';
import { DocumentWorkers } from '@muster/nest-kit';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, hostDocument, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const { reviseHost } = RegistrationService.method;
const HOST = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`;

describe('changing the settings of a host', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(2, [hostDocument({ skip_formatting_disks: 'a' }), infraEnvDocument()]);
    await gateway.answers(reviseHost, () => ({ stored: { position: 2, revision: 1 } }));
  });
  afterEach(() => gateway.close());

  it('sends which disks change, so that requests at the same time keep the disks of each other', async () => {
    const json = { disks_skip_formatting: [{ disk_id: 'b', skip_formatting: true }] };
    expect(await gateway.call('PATCH', HOST, { json })).toMatchObject({ status: 201 });
    expect(gateway.received.map(({ body }) => body)).toEqual([
      { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID, settings: {}, disks: { items: [{ diskId: 'b', skip: true }] } },
    ]);
  });

  it('checks an Ignition override in a worker, and only of a host that exists', async () => {
    const run = jest.spyOn(DocumentWorkers.prototype, 'run');
    const override = (host: string, config: string) => gateway.call('PATCH', `${host}/ignition`, { json: { config } });
    const refusal = { status: 400, body: { reason: expect.stringContaining('config cannot be used: ') } };
    expect(await override(HOST, '{}')).toMatchObject(refusal);
    expect(run.mock.calls).toEqual([[expect.objectContaining({ subject: 'config' }), '{}', 'config', '4.18']]);
    expect(await override(HOST.replace(HOST_ID, INFRA_ENV_ID), '{}')).toMatchObject({ status: 404 });
    expect(run).toHaveBeenCalledTimes(1);
    expect(gateway.received).toEqual([]);
  });

  it.each([
    ['4.11', 400],
    ['4.14', 201],
  ])('answers an Ignition override of version 3.4.0 for images of %s with %d', async (openshift_version, status) => {
    await gateway.project(3, [infraEnvDocument({ openshift_version })]);
    const json = { config: '{"ignition":{"version":"3.4.0"}}' };
    expect(await gateway.call('PATCH', `${HOST}/ignition`, { json })).toMatchObject({ status });
    expect(gateway.received).toHaveLength(status === 201 ? 1 : 0);
  });
});
