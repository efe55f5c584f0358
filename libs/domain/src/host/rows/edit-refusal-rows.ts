import type { HostRow } from '../host-row';
import { HOST_ROLES } from '../host-status';
import { DISCOVERY, EDITABLE, statusesExcept } from '../host-status-groups';
import { refuse } from './refuse';

const LATE_EDIT = 'This can be changed only before the installation begins; the host is past that.';
/** Choices that come too late. */
export const EDIT_REFUSAL_ROWS: readonly HostRow[] = [
  refuse(
    'assign-unknown-role',
    'AssignRole',
    EDITABLE,
    'invalid-input',
    'There is no such role; choose one of the allowed ones.',
    { when: { roleKnown: [false] }, subject: 'host_role', allowed: () => HOST_ROLES },
  ),
  refuse('role-too-late', 'AssignRole', statusesExcept(EDITABLE), 'invalid-input', LATE_EDIT),
  refuse(
    'suggestion-too-late',
    'SuggestRole',
    statusesExcept(DISCOVERY),
    'not-allowed-in-state',
    'Roles are suggested for hosts that are being inspected in a cluster.',
  ),
  refuse(
    'bootstrap-too-late',
    'ChooseBootstrap',
    statusesExcept(DISCOVERY, ['preparing-for-installation']),
    'not-allowed-in-state',
    'The bootstrap host is chosen before any host is prepared.',
  ),
  refuse('name-too-late', 'Rename', statusesExcept(EDITABLE), 'invalid-input', LATE_EDIT),
  refuse(
    'disk-too-late',
    'ChooseInstallationDisk',
    statusesExcept(EDITABLE, ['installing-in-progress']),
    'invalid-input',
    LATE_EDIT,
  ),
  refuse('disk-being-written', 'ChooseInstallationDisk', ['installing-in-progress'], 'invalid-input', LATE_EDIT, {
    when: { byPerson: [true] },
  }),
  refuse('settings-too-late', 'ReviseSettings', statusesExcept(EDITABLE), 'invalid-input', LATE_EDIT, {
    when: { forgetsToken: [false] },
  }),
];
