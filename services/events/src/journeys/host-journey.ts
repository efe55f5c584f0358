import { type HostJourney, NOT_YET } from '@muster/assisted-api';
import type { EventData, HostEvent, InventoryEvent } from '@muster/contracts';
import { marked } from './marks';

const BEGUN = { statuses: [], stages: [] } as const;

function registered(
  { hostId, clusterId, bootstrap: isBootstrap }: EventData<'HostRegistered'>,
  position: number,
): HostJourney {
  const bootstrap = isBootstrap ? position : NOT_YET;
  return {
    id: hostId,
    cluster_id: clusterId,
    bootstrap_from: bootstrap,
    inventory_from: NOT_YET,
    ...BEGUN,
    _position: position,
  };
}

/** The host's way after the fact; unchanged for facts that are no part of it. */
export function evolveHostJourney(
  before: HostJourney | undefined,
  event: HostEvent | InventoryEvent,
  at: string,
  position: number,
): HostJourney | undefined {
  if (event.type === 'HostRegistered') return registered(event.data, position);
  if (!before) return undefined;
  switch (event.type) {
    case 'HostReregistered':
      return { ...before, cluster_id: event.data.clusterId || before.cluster_id, _position: position };
    case 'InventoryReported':
      return before.inventory_from === NOT_YET ? { ...before, inventory_from: position, _position: position } : before;
    case 'HostEnteredStatus':
      return { ...before, statuses: marked(before.statuses, event.data.status, at), _position: position };
    case 'HostProgressed':
      if (!event.data.stageChanged) return before;
      return { ...before, stages: marked(before.stages, event.data.stage, at), _position: position };
    case 'HostBootstrapChosen':
      return { ...before, bootstrap_from: position, _position: position };
    case 'HostReset':
      return { ...before, bootstrap_from: NOT_YET, _position: position };
    case 'HostBound':
      return { ...before, cluster_id: event.data.clusterId, _position: position };
    case 'HostUnbound':
      return { ...before, cluster_id: '', bootstrap_from: NOT_YET, _position: position };
    case 'HostDeregistered':
      return { ...before, statuses: marked(before.statuses, 'deregistered', at), _position: position };
    default:
      return before;
  }
}
