mock_provider "aws" {
  mock_data "aws_region" {
    defaults = { name = "eu-central-1" }
  }
  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }
  mock_data "aws_caller_identity" {
    defaults = { account_id = "123456789012" }
  }
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
  mock_data "aws_ec2_managed_prefix_list" {
    defaults = { id = "pl-0123456789abcdef0" }
  }
  mock_data "aws_ssm_parameter" {
    defaults = { value = "ami-0123456789abcdef0" }
  }
  mock_data "aws_ec2_instance_type" {
    defaults = {
      supported_architectures             = ["arm64"]
      memory_size                         = 32768
      ebs_performance_baseline_iops       = 12000
      ebs_performance_baseline_throughput = 312.5
    }
  }
}

variables {
  name           = "demo"
  vpc_id         = "vpc-0123456789abcdef0"
  instance_type  = "m7g.2xlarge"
  package_url    = "https://example.org/cloudmw.deb"
  package_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  size           = 6
  disk_size_gib  = 500
  subnets = {
    eu-central-1a = "subnet-0123456789abcdef0"
    eu-central-1b = "subnet-0123456789abcdef1"
    eu-central-1c = "subnet-0123456789abcdef2"
  }
  coordinator = {
    address                         = "crd.example:7400"
    security_group_id               = "sg-0123456789abcdef1"
    load_balancer_security_group_id = "sg-0123456789abcdef2"
    client_security_group_id        = "sg-0123456789abcdef3"
    secret                          = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo-AbCdEf" }
  }
}

override_resource {
  target          = module.instance.aws_security_group.this
  override_during = plan
  values          = { id = "sg-0123456789abcdef4" }
}

run "disks" {
  command = plan

  assert {
    condition     = length(aws_ebs_volume.disk) == 6 && alltrue([for zone, _ in var.subnets : length([for disk in aws_ebs_volume.disk : disk if disk.availability_zone == zone]) == 2])
    error_message = "zones do not have equal numbers of disks"
  }
  assert {
    condition     = alltrue([for disk in aws_ebs_volume.disk : disk.encrypted && disk.type == "gp3" && disk.size == 500])
    error_message = "a disk is no encrypted gp3 volume"
  }
  assert {
    condition     = alltrue([for disk in aws_ebs_volume.disk : disk.iops == 12000 && disk.throughput == 298])
    error_message = "disks do not have what the instance type sustains (12000 operations, 312.5 MB/s = 298 MiB/s)"
  }
  assert {
    condition     = alltrue([for disk in aws_ebs_volume.disk : disk.final_snapshot])
    error_message = "a disk is deleted without a snapshot by default"
  }
  assert {
    condition     = alltrue([for name, disk in aws_ebs_volume.disk : disk.tags["cloudmw:helper"] == name && disk.tags["cloudmw:group"] == "demo-helpers" && length(name) <= 63])
    error_message = "instances do not find the disks"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.availability_zone_distribution[0].capacity_distribution_strategy == "balanced-only" && aws_autoscaling_group.helpers.suspended_processes == toset(["AZRebalance"])
    error_message = "helpers may leave the zone of their disks"
  }
  assert {
    condition     = toset(aws_autoscaling_group.helpers.vpc_zone_identifier) == toset(values(var.subnets))
    error_message = "helpers are not in every zone"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].max_healthy_percentage == 100 && aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].min_healthy_percentage == 83
    error_message = "a refresh replaces more than one helper at a time, or starts one before its disk is free"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].auto_rollback
    error_message = "a refresh does not roll back"
  }
  assert {
    condition     = one([for hook in aws_autoscaling_group.helpers.initial_lifecycle_hook : hook if hook.lifecycle_transition == "autoscaling:EC2_INSTANCE_LAUNCHING"]).default_result == "ABANDON"
    error_message = "a helper that never serves stays"
  }
  assert {
    condition     = one([for hook in aws_autoscaling_group.helpers.initial_lifecycle_hook : hook if hook.lifecycle_transition == "autoscaling:EC2_INSTANCE_TERMINATING"]).default_result == "CONTINUE"
    error_message = "there is no termination hook"
  }
  assert {
    condition     = length(aws_autoscaling_group.helpers.warm_pool) == 0
    error_message = "there is a warm pool by default"
  }
  assert {
    condition     = alltrue([for statement in data.aws_iam_policy_document.disks.statement : statement.sid == "FindDisks" || anytrue([for condition in statement.condition : condition.variable == "aws:ResourceTag/cloudmw:group" && condition.values == tolist(["demo-helpers"])])])
    error_message = "helpers attach disks of other fleets"
  }
  assert {
    condition     = anytrue([for condition in one([for statement in data.aws_iam_policy_document.disks.statement : statement if statement.sid == "DisksOfTheFleet"]).condition : condition.test == "Null" && condition.variable == "aws:ResourceTag/cloudmw:helper"])
    error_message = "helpers may detach root volumes"
  }
  assert {
    condition     = alltrue([for rule in concat(values(aws_vpc_security_group_ingress_rule.callers), [aws_vpc_security_group_ingress_rule.load_balancer_from_helpers]) : rule.cidr_ipv4 == null && rule.cidr_ipv6 == null && rule.prefix_list_id == null && rule.from_port == rule.to_port])
    error_message = "a rule lets in addresses, not a role, or more than a port"
  }
  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.callers : rule.referenced_security_group_id]) == toset(["sg-0123456789abcdef1", "sg-0123456789abcdef3", "sg-0123456789abcdef4"])
    error_message = "others than coordinators, clients and helpers reach helpers"
  }
  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.callers : rule.from_port if rule.referenced_security_group_id == "sg-0123456789abcdef1"]) == toset([7410])
    error_message = "coordinators reach more than the control port of helpers"
  }
  assert {
    condition     = aws_vpc_security_group_ingress_rule.load_balancer_from_helpers.referenced_security_group_id == "sg-0123456789abcdef4" && aws_vpc_security_group_ingress_rule.load_balancer_from_helpers.from_port == 7400
    error_message = "helpers do not reach the coordinators"
  }
  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_egress_rule.callers : rule.referenced_security_group_id == "sg-0123456789abcdef4" && rule.cidr_ipv4 == null])
    error_message = "callers reach more than helpers"
  }
  assert {
    condition     = strcontains(output.user_data, "127.0.0.1:7481") && length(aws_vpc_security_group_ingress_rule.metrics) == 0
    error_message = "metrics are open by default"
  }
  assert {
    condition     = strcontains(output.user_data, "helper.disk.{id}.domain\\\\\\\":\\\\\\\"{zone}") || strcontains(output.user_data, "helper.disk.{id}.domain\\\":\\\"{zone}")
    error_message = "the failure domain of a disk is not its zone"
  }
  assert {
    condition     = strcontains(output.user_data, "-Xmx4096m -XX:MaxDirectMemorySize=8192m") && strcontains(output.user_data, "8096MiB")
    error_message = "heap, direct memory and cache do not fit 32 GiB"
  }
}

run "own_key" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0b1c"
  }

  assert {
    condition     = length(aws_ebs_volume.disk) > 0 && alltrue([for disk in aws_ebs_volume.disk : disk.encrypted && disk.kms_key_id == var.kms_key_arn])
    error_message = "a disk is not encrypted with the key"
  }
}

run "buckets_only" {
  command = plan

  variables {
    disk_size_gib             = 0
    size                      = 4
    warm_pool_size            = 2
    switch_volumes            = ["media", "sets"]
    cache_disk_gib            = 100
    root_size_gib             = 130
    failure_domain            = "helper"
    refresh_alarms            = ["demo-no-coordinator"]
    metrics_security_group_id = "sg-0123456789abcdef9"
  }

  assert {
    condition     = length(aws_ebs_volume.disk) == 0
    error_message = "there are disks"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.warm_pool[0].pool_state == "Stopped" && aws_autoscaling_group.helpers.warm_pool[0].min_size == 2 && aws_autoscaling_group.helpers.warm_pool[0].max_group_prepared_capacity == 6
    error_message = "the warm pool has another size"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].min_healthy_percentage == 100 && aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].max_healthy_percentage == 125
    error_message = "a helper without a disk goes before its successor serves"
  }
  assert {
    condition     = aws_autoscaling_group.helpers.instance_refresh[0].preferences[0].alarm_specification[0].alarms == tolist(["demo-no-coordinator"])
    error_message = "alarms do not stop a refresh"
  }
  assert {
    condition     = strcontains(output.user_data, "media,sets") && strcontains(output.user_data, "100GiB")
    error_message = "the helpers are no switches"
  }
  assert {
    condition     = aws_vpc_security_group_ingress_rule.metrics[0].referenced_security_group_id == "sg-0123456789abcdef9" && strcontains(output.user_data, "0.0.0.0:7481")
    error_message = "metrics are not reached, or by others"
  }
}

run "small_disks_on_a_small_type" {
  command = plan

  variables {
    disk_size_gib   = 8
    disk_throughput = 125
    stop_drains     = true
    operator_token  = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:operator-AbCdEf", kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0c1d" }
  }

  assert {
    condition     = alltrue([for disk in aws_ebs_volume.disk : disk.iops == 4000 && disk.throughput == 125])
    error_message = "a disk has more operations than gp3 gives to its size (500 for each GiB)"
  }
  assert {
    condition     = jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).operator_token == var.operator_token.arn && jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).environment.CLOUDMW_TOKEN_FILE == "/var/lib/cloudmw/operator.token"
    error_message = "a stop that drains has no token"
  }
  assert {
    condition     = strcontains(output.user_data, "CLOUDMW_STOP_DRAINS\\\":\\\"yes") || strcontains(output.user_data, "CLOUDMW_STOP_DRAINS\\\\\\\":\\\\\\\"yes")
    error_message = "units do not drain"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    name            = "demo_1"
    fleet           = "coordinator"
    vpc_id          = "main"
    subnets         = { eu-central-1 = "subnet-0123456789abcdef0" }
    instance_type   = "large"
    ami_id          = "ubuntu"
    root_device     = "sda1"
    package_url     = "file:///cloudmw.deb"
    root_size_gib   = 4
    root_iops       = 20000
    root_throughput = 10
    kms_key_arn     = "alias/demo"
    stores          = { one = { bucket = "b", prefix = "a/", region = "eu-central-1" } }
    coordinator = {
      address                         = "crd.example"
      security_group_id               = "sg-0123456789abcdef1"
      load_balancer_security_group_id = "sg-0123456789abcdef2"
      client_security_group_id        = "sg-0123456789abcdef3"
      secret                          = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo-AbCdEf" }
    }
    disk_size_gib             = 4
    disk_iops                 = 100
    disk_throughput           = 2000
    failure_domain            = "rack"
    operator_token            = { arn = "operator" }
    switch_volumes            = ["Media"]
    warm_pool_size            = -1
    refresh_alarms            = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]
    settings                  = { "coordinator.listen" = "0.0.0.0:1" }
    environment               = { "a" = "b" }
    metrics_security_group_id = "prometheus"
    wait_for_capacity_timeout = "long"
    tags                      = { "cloudmw:x" = "y" }
  }

  expect_failures = [
    var.name, var.fleet, var.vpc_id, var.subnets, var.instance_type, var.ami_id, var.root_device,
    var.package_url, var.root_size_gib, var.root_iops, var.root_throughput, var.kms_key_arn,
    var.stores, var.coordinator, var.disk_size_gib, var.disk_iops, var.disk_throughput, var.failure_domain,
    var.operator_token, var.switch_volumes, var.warm_pool_size, var.refresh_alarms, var.settings, var.environment,
    var.metrics_security_group_id, var.wait_for_capacity_timeout, var.tags,
  ]
}

run "further_wrong_values_are_refused" {
  command = plan

  variables {
    subnets                    = { eu-central-1a = "10.0.0.0/24" }
    package_sha256             = "E3"
    cache_disk_gib             = 1.5
    disk_size_gib              = 100.5
    fleet                      = "h"
    endpoint_security_group_id = "endpoints"
    permissions_boundary_arn   = "boundary"
  }

  expect_failures = [
    var.subnets, var.package_sha256, var.cache_disk_gib, var.disk_size_gib, var.fleet, var.endpoint_security_group_id,
    var.permissions_boundary_arn,
  ]
}

run "values_that_do_not_go_together_are_refused" {
  command = plan

  variables {
    size           = 4
    spot           = true
    warm_pool_size = 1
    cache_disk_gib = 100
  }

  expect_failures = [var.size, var.spot, var.cache_disk_gib]
}

run "drain_of_a_spot_instance_is_refused" {
  command = plan

  variables {
    spot           = true
    stop_drains    = true
    operator_token = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:operator-AbCdEf", kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0c1d" }
  }

  expect_failures = [var.spot]
}

run "half_a_helper_no_checksum_and_a_drain_without_a_token_are_refused" {
  command = plan

  variables {
    size           = 1.5
    package_sha256 = null
    stop_drains    = true
  }

  expect_failures = [var.size, var.package_sha256, var.stop_drains]
}
