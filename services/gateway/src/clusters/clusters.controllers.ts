import type { Type } from '@nestjs/common';
import { AcceptIngressCertificateController } from './accept-ingress-certificate/accept-ingress-certificate.controller';
import { AllowAddHostsController } from './allow-add-hosts/allow-add-hosts.controller';
import { CancelInstallationController } from './cancel-installation/cancel-installation.controller';
import { CompleteInstallationController } from './complete-installation/complete-installation.controller';
import { DeregisterClusterController } from './deregister-cluster/deregister-cluster.controller';
import { DownloadClusterFileController } from './download-cluster-file/download-cluster-file.controller';
import { DownloadCredentialsController } from './download-credentials/download-credentials.controller';
import { DownloadLogsController } from './download-logs/download-logs.controller';
import { IgnoredValidationsController } from './ignored-validations/ignored-validations.controller';
import { ImportClusterController } from './import-cluster/import-cluster.controller';
import { InstallClusterController } from './install-cluster/install-cluster.controller';
import { ListClusterHostsController } from './list-cluster-hosts/list-cluster-hosts.controller';
import { ListClustersController } from './list-clusters/list-clusters.controller';
import { ListMonitoredOperatorsController } from './list-monitored-operators/list-monitored-operators.controller';
import { ListSupportedPlatformsController } from './list-supported-platforms/list-supported-platforms.controller';
import { OverrideInstallConfigController } from './override-install-config/override-install-config.controller';
import { ReachFinalizingStageController } from './reach-finalizing-stage/reach-finalizing-stage.controller';
import { RegisterClusterController } from './register-cluster/register-cluster.controller';
import { RegisterDisconnectedClusterController } from './register-disconnected-cluster/register-disconnected-cluster.controller';
import { ReportClusterLogsController } from './report-cluster-logs/report-cluster-logs.controller';
import { ReportOperatorStatusController } from './report-operator-status/report-operator-status.controller';
import { ResetClusterController } from './reset-cluster/reset-cluster.controller';
import { ReviseClusterController } from './revise-cluster/revise-cluster.controller';
import { ShowClusterController } from './show-cluster/show-cluster.controller';
import { ShowCredentialsController } from './show-credentials/show-credentials.controller';
import { ShowInstallConfigController } from './show-install-config/show-install-config.controller';
import { ShowPreflightRequirementsController } from './show-preflight-requirements/show-preflight-requirements.controller';
import { UiSettingsController } from './ui-settings/ui-settings.controller';
import { UploadLogsController } from './upload-logs/upload-logs.controller';
import { CreateManifestController } from './create-manifest/create-manifest.controller';
import { DownloadManifestController } from './download-manifest/download-manifest.controller';
import { ListManifestsController } from './list-manifests/list-manifests.controller';
import { RemoveManifestController } from './remove-manifest/remove-manifest.controller';
import { ReviseManifestController } from './revise-manifest/revise-manifest.controller';

export const CLUSTER_CONTROLLERS: readonly Type[] = [
  AcceptIngressCertificateController,
  AllowAddHostsController,
  CancelInstallationController,
  CompleteInstallationController,
  DeregisterClusterController,
  DownloadClusterFileController,
  DownloadCredentialsController,
  DownloadLogsController,
  IgnoredValidationsController,
  ImportClusterController,
  InstallClusterController,
  ListClusterHostsController,
  ListClustersController,
  ListMonitoredOperatorsController,
  ListSupportedPlatformsController,
  OverrideInstallConfigController,
  ReachFinalizingStageController,
  RegisterClusterController,
  RegisterDisconnectedClusterController,
  ReportClusterLogsController,
  ReportOperatorStatusController,
  ResetClusterController,
  ReviseClusterController,
  ShowClusterController,
  ShowCredentialsController,
  ShowInstallConfigController,
  ShowPreflightRequirementsController,
  UiSettingsController,
  UploadLogsController,
  CreateManifestController,
  DownloadManifestController,
  ListManifestsController,
  RemoveManifestController,
  ReviseManifestController,
];
