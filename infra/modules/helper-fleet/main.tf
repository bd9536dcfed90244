# A fleet of helpers. Its disks are EBS volumes of their own: each belongs to a name, not to an instance, and the
# successor of a helper gets its disk and its name. docs/adr/0046-the-fleet-on-aws.md says why.

data "aws_region" "current" {}
data "aws_partition" "current" {}
data "aws_caller_identity" "current" {}

locals {
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  region    = data.aws_region.current.name
  full_name = "${var.name}-${var.fleet}"
  tags      = merge(var.tags, { "cloudmw:cluster" = var.name, "cloudmw:group" = local.full_name })
  has_disks = var.disk_size_gib > 0

  control_port = 7410
  bulk_port    = 7420
  http_port    = 7481

  # Helpers by name, like demo-helpers-eu-central-1a-0, and their zones.
  disks = local.has_disks ? merge([
    for zone, _ in var.subnets : {
      for number in range(floor(var.size / length(var.subnets))) : "${local.full_name}-${zone}-${number}" => zone
    }
  ]...) : {}

  # What the instance can sustain, within what gp3 offers: 3000 to 16000 operations (500 for each GiB at most), 125 to
  # 1000 MiB/s (a quarter MiB/s for each operation at most).
  disk_iops       = coalesce(var.disk_iops, max(3000, min(16000, 500 * var.disk_size_gib, module.instance.type.ebs_iops)))
  disk_throughput = coalesce(var.disk_throughput, max(125, min(1000, floor(local.disk_iops / 4), module.instance.type.ebs_throughput_mib)))

  # Heap and direct memory; the rest is page cache.
  heap_mib   = max(256, min(4096, floor(module.instance.type.memory_mib / 8)))
  direct_mib = max(256, min(32768, floor(module.instance.type.memory_mib / 4)))
}

resource "aws_ebs_volume" "disk" {
  # checkov:skip=CKV_AWS_189:the key is the variable kms_key_arn; without one the account's key of EBS encrypts
  # checkov:skip=CKV2_AWS_2:instances attach the disks themselves
  for_each = local.disks

  availability_zone = each.value
  type              = "gp3"
  size              = var.disk_size_gib
  iops              = local.disk_iops
  throughput        = local.disk_throughput
  encrypted         = true
  kms_key_id        = var.kms_key_arn
  final_snapshot    = var.disk_final_snapshot
  tags              = merge(local.tags, { Name = each.key, "cloudmw:helper" = each.key })
}

data "aws_iam_policy_document" "disks" {
  statement {
    # checkov:skip=CKV_AWS_356:this action takes no resource
    sid       = "FindDisks"
    actions   = ["ec2:DescribeVolumes"]
    resources = ["*"]
  }

  statement {
    sid       = "ToInstancesOfTheFleet"
    actions   = ["ec2:AttachVolume", "ec2:DetachVolume"]
    resources = ["arn:${local.partition}:ec2:${local.region}:${local.account}:instance/*"]

    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/cloudmw:group"
      values   = [local.full_name]
    }
  }

  # Disks, and not the root volumes, which lack the second tag.
  statement {
    sid       = "DisksOfTheFleet"
    actions   = ["ec2:AttachVolume", "ec2:DetachVolume"]
    resources = ["arn:${local.partition}:ec2:${local.region}:${local.account}:volume/*"]

    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/cloudmw:group"
      values   = [local.full_name]
    }

    condition {
      test     = "Null"
      variable = "aws:ResourceTag/cloudmw:helper"
      values   = ["false"]
    }
  }
}

module "instance" {
  source = "../instance"

  name            = var.name
  group           = var.fleet
  process         = "helper"
  vpc_id          = var.vpc_id
  instance_type   = var.instance_type
  ami_id          = var.ami_id
  root_device     = var.root_device
  spot            = var.spot
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  root_size_gib   = var.root_size_gib
  root_iops       = var.root_iops
  root_throughput = var.root_throughput
  kms_key_arn     = var.kms_key_arn
  stores          = var.stores
  secret          = var.coordinator.secret
  operator_token  = var.operator_token
  policies        = local.has_disks ? { disks = data.aws_iam_policy_document.disks.json } : {}
  has_disk        = local.has_disks
  internet_egress = var.internet_egress
  tags            = var.tags

  permissions_boundary_arn   = var.permissions_boundary_arn
  endpoint_security_group_id = var.endpoint_security_group_id
  endpoint_access            = var.endpoint_access

  ready_port = local.http_port
  settings = merge({
    "helper.id"             = "{id}"
    "helper.coordinator"    = var.coordinator.address
    "helper.control.listen" = "0.0.0.0:${local.control_port}"
    "helper.bulk.listen"    = "0.0.0.0:${local.bulk_port}"
    "helper.http.listen"    = "${var.metrics_security_group_id == null ? "127.0.0.1" : "0.0.0.0"}:${local.http_port}"
    "helper.location"       = "{zone}/{id}"
    "helper.spool.dir"      = "/var/lib/cloudmw/helper/spool"
    "helper.cache.memory"   = "${local.direct_mib - 96}MiB"
    "cluster.secret-file"   = "/var/lib/cloudmw/cluster.secret"
    }, local.has_disks ? {
    "helper.disk.{id}.path"   = "/var/lib/cloudmw/helper/disk/chunks"
    "helper.disk.{id}.domain" = var.failure_domain == "zone" ? "{zone}" : "{id}"
    } : {}, length(var.switch_volumes) == 0 ? {} : {
    "helper.switch.volumes" = join(",", sort(var.switch_volumes))
    }, var.cache_disk_gib == 0 ? {} : {
    "helper.cache.disk.dir"   = "/var/lib/cloudmw/helper/cache"
    "helper.cache.disk.limit" = "${var.cache_disk_gib}GiB"
  }, var.settings)
  environment = merge({
    CLOUDMW_JAVA_OPTS   = "-Xmx${local.heap_mib}m -XX:MaxDirectMemorySize=${local.direct_mib}m -XX:+ExitOnOutOfMemoryError"
    CLOUDMW_STOP_DRAINS = var.stop_drains ? "yes" : "no"
    }, var.operator_token == null ? {} : {
    CLOUDMW_TOKEN_FILE = "/var/lib/cloudmw/operator.token"
  }, var.environment)
}

resource "aws_vpc_security_group_ingress_rule" "load_balancer_from_helpers" {
  security_group_id            = var.coordinator.load_balancer_security_group_id
  description                  = local.full_name
  referenced_security_group_id = module.instance.security_group_id
  ip_protocol                  = "tcp"
  from_port                    = tonumber(regex(":([0-9]+)$", var.coordinator.address)[0])
  to_port                      = tonumber(regex(":([0-9]+)$", var.coordinator.address)[0])
}

resource "aws_vpc_security_group_egress_rule" "helpers_to_load_balancer" {
  security_group_id            = module.instance.security_group_id
  description                  = "coordinators"
  referenced_security_group_id = var.coordinator.load_balancer_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = tonumber(regex(":([0-9]+)$", var.coordinator.address)[0])
  to_port                      = tonumber(regex(":([0-9]+)$", var.coordinator.address)[0])
}

locals {
  # Others that call helpers, and the ports that they need. A coordinator has a helper test buckets.
  callers = {
    coordinator-control = { group = var.coordinator.security_group_id, port = local.control_port }
    client-control      = { group = var.coordinator.client_security_group_id, port = local.control_port }
    client-bulk         = { group = var.coordinator.client_security_group_id, port = local.bulk_port }
    helper-control      = { group = module.instance.security_group_id, port = local.control_port }
    helper-bulk         = { group = module.instance.security_group_id, port = local.bulk_port }
  }
}

resource "aws_vpc_security_group_ingress_rule" "callers" {
  for_each = local.callers

  security_group_id            = module.instance.security_group_id
  description                  = each.key
  referenced_security_group_id = each.value.group
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_egress_rule" "callers" {
  for_each = local.callers

  security_group_id            = each.value.group
  description                  = "${local.full_name}, ${each.key}"
  referenced_security_group_id = module.instance.security_group_id
  ip_protocol                  = "tcp"
  from_port                    = each.value.port
  to_port                      = each.value.port
}

resource "aws_vpc_security_group_ingress_rule" "metrics" {
  count = var.metrics_security_group_id == null ? 0 : 1

  security_group_id            = module.instance.security_group_id
  description                  = "metrics"
  referenced_security_group_id = var.metrics_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = local.http_port
  to_port                      = local.http_port
}

resource "aws_autoscaling_group" "helpers" {
  name                      = module.instance.name
  vpc_zone_identifier       = values(var.subnets)
  min_size                  = local.has_disks ? 0 : var.size
  desired_capacity          = var.size
  max_size                  = var.size
  health_check_type         = "EC2"
  capacity_rebalance        = false
  termination_policies      = ["OldestLaunchTemplate", "OldestInstance"]
  enabled_metrics           = ["GroupDesiredCapacity", "GroupInServiceInstances", "GroupPendingInstances", "GroupTerminatingInstances"]
  wait_for_capacity_timeout = var.wait_for_capacity_timeout

  # A disk cannot leave its zone. So each zone keeps its share of the helpers, also while another zone has no capacity,
  # and no helper is started in one zone before another zone's has gone.
  suspended_processes = local.has_disks ? ["AZRebalance"] : []

  availability_zone_distribution {
    capacity_distribution_strategy = local.has_disks ? "balanced-only" : "balanced-best-effort"
  }

  launch_template {
    id      = module.instance.launch_template.id
    version = module.instance.launch_template.version
  }

  # In service only when /readyz says so.
  initial_lifecycle_hook {
    name                 = module.instance.hooks.launch
    lifecycle_transition = "autoscaling:EC2_INSTANCE_LAUNCHING"
    default_result       = "ABANDON"
    heartbeat_timeout    = 900
  }

  # Terminated only when the helper has left the cluster and given its disk back. The instance sends heartbeats while it
  # drains.
  initial_lifecycle_hook {
    name                 = module.instance.hooks.termination
    lifecycle_transition = "autoscaling:EC2_INSTANCE_TERMINATING"
    default_result       = "CONTINUE"
    heartbeat_timeout    = 300
  }

  # One helper after the other. With disks the old one goes first, for the new one needs its disk.
  instance_refresh {
    strategy = "Rolling"

    preferences {
      min_healthy_percentage = local.has_disks ? floor(100 * (var.size - 1) / var.size) : 100
      max_healthy_percentage = local.has_disks ? 100 : min(200, ceil(100 * (var.size + 1) / var.size))
      auto_rollback          = true
      skip_matching          = true

      dynamic "alarm_specification" {
        for_each = length(var.refresh_alarms) == 0 ? [] : [var.refresh_alarms]

        content {
          alarms = alarm_specification.value
        }
      }
    }
  }

  dynamic "warm_pool" {
    for_each = var.warm_pool_size == 0 ? [] : [var.warm_pool_size]

    content {
      pool_state                  = "Stopped"
      min_size                    = warm_pool.value
      max_group_prepared_capacity = var.size + warm_pool.value

      instance_reuse_policy {
        reuse_on_scale_in = false
      }
    }
  }

  dynamic "tag" {
    for_each = merge(local.tags, { Name = module.instance.name })

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = false
    }
  }

  depends_on = [
    aws_ebs_volume.disk,
    aws_vpc_security_group_egress_rule.callers,
    aws_vpc_security_group_egress_rule.helpers_to_load_balancer,
    aws_vpc_security_group_ingress_rule.callers,
    aws_vpc_security_group_ingress_rule.load_balancer_from_helpers,
  ]
}
