import { COLLECTIONS } from '@muster/assisted-api';
import { hostKeyOf, type NoteEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import type { ReadModelChange, RecordedEvent } from '@muster/ports';
import { type EventSubject, eventDocuments } from '../event-log/event-document';
import { noteLog } from '../event-log/note-log';

const NO_OWNER: EventSubject['owner'] = { user_name: '', org_id: '', email_domain: '' };

/** A note belongs to the owner of its subject. Without an owner only administrators see it. */
export async function projectNote(
  event: RecordedEvent<NoteEvent>,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const data = event.data;
  const { clusterId, hostId, infraEnvId } = data;
  const subject =
    (clusterId && (await read(COLLECTIONS.clusters, clusterId))) ||
    (infraEnvId && (await read(COLLECTIONS.infraEnvs, infraEnvId))) ||
    (hostId && infraEnvId && (await read(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId))));
  return eventDocuments(event, noteLog(data), { clusterId, hostId, infraEnvId, owner: subject || NO_OWNER });
}
