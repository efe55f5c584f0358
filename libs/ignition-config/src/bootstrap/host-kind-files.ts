import type { IgnitionFile } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';
import { CLUSTER_FOLDER } from './bootstrap-paths';

/** Login message during the bootstrap. */
export const BOOTSTRAP_MOTD: IgnitionFile = textFile(
  '/etc/motd',
  MODE_READABLE,
  `
This machine brings up a new cluster and becomes one of its nodes when it is done.

How far it is:  journalctl --unit bootkube.service --follow

`,
);

/** A bootstrap host of several nodes; NetworkManager does not manage its name servers. */
export const MULTI_NODE_FILES: readonly IgnitionFile[] = [
  textFile(`${CLUSTER_FOLDER}/assisted-install-bootstrap`, MODE_READABLE, ''),
  textFile('/etc/NetworkManager/conf.d/99-kni.conf', MODE_READABLE, '[main]\nrc-manager=unmanaged\n'),
];
