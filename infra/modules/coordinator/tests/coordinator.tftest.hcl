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
  package_url    = "https://example.org/cloudmw.deb"
  package_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  subnets = {
    eu-central-1a = "subnet-0123456789abcdef0"
    eu-central-1b = "subnet-0123456789abcdef1"
    eu-central-1c = "subnet-0123456789abcdef2"
  }
}

# The ARN of the secret, which the instances' role names, is known only after it was made.
override_resource {
  target          = aws_secretsmanager_secret.cluster
  override_during = plan
  values          = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo-AbCdEf" }
}

override_resource {
  target          = aws_secretsmanager_secret.identity["authority"]
  override_during = plan
  values          = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/authority-AbCdEf" }
}

override_resource {
  target          = aws_secretsmanager_secret.identity["admin-token"]
  override_during = plan
  values          = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/admin-token-AbCdEf" }
}

override_resource {
  target          = aws_dynamodb_table.catalog
  override_during = plan
  values          = { arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/demo-catalog" }
}

override_resource {
  target          = aws_lb.coordinators
  override_during = plan
  values          = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/net/demo-crd/50dc6c495c0c9188", dns_name = "demo-crd.elb.eu-central-1.amazonaws.com" }
}

override_resource {
  target          = aws_lb_target_group.coordinators
  override_during = plan
  values          = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/demo-crd/50dc6c495c0c9188" }
}

override_resource {
  target          = aws_security_group.load_balancer
  override_during = plan
  values          = { id = "sg-0123456789abcdef1" }
}

override_resource {
  target          = aws_security_group.client
  override_during = plan
  values          = { id = "sg-0123456789abcdef2" }
}

override_resource {
  target          = module.instance.aws_security_group.this
  override_during = plan
  values          = { id = "sg-0123456789abcdef3" }
}

run "defaults" {
  command = plan

  assert {
    condition     = aws_dynamodb_table.catalog.hash_key == "pk" && aws_dynamodb_table.catalog.range_key == "sk" && { for attribute in aws_dynamodb_table.catalog.attribute : attribute.name => attribute.type } == { pk = "S", sk = "S" }
    error_message = "the table's keys are not those of the catalog"
  }
  assert {
    condition     = aws_dynamodb_table.catalog.point_in_time_recovery[0].enabled && aws_dynamodb_table.catalog.point_in_time_recovery[0].recovery_period_in_days == 35
    error_message = "the catalog cannot be taken back to a point in time"
  }
  assert {
    condition     = aws_dynamodb_table.catalog.server_side_encryption[0].enabled
    error_message = "the catalog is not encrypted by a key of KMS"
  }
  assert {
    condition     = aws_dynamodb_table.catalog.deletion_protection_enabled && aws_lb.coordinators.enable_deletion_protection
    error_message = "catalog and load balancer can be deleted by default"
  }
  assert {
    condition     = aws_dynamodb_table.catalog.billing_mode == "PAY_PER_REQUEST"
    error_message = "the catalog has a capacity"
  }
  assert {
    condition     = aws_lb.coordinators.internal && aws_lb.coordinators.load_balancer_type == "network" && aws_lb.coordinators.security_groups == toset(["sg-0123456789abcdef1"])
    error_message = "the load balancer is not internal, or lets anybody in"
  }
  assert {
    condition     = toset(aws_lb.coordinators.subnets) == toset(values(var.subnets)) && aws_lb.coordinators.enable_cross_zone_load_balancing
    error_message = "the load balancer is not in every zone"
  }
  assert {
    condition     = aws_lb_target_group.coordinators.health_check[0].path == "/readyz" && aws_lb_target_group.coordinators.health_check[0].protocol == "HTTP" && tostring(aws_lb_target_group.coordinators.preserve_client_ip) == "true"
    error_message = "the load balancer does not ask /readyz, or hides addresses of clients from the audit log"
  }
  assert {
    condition     = toset(aws_autoscaling_group.coordinators.vpc_zone_identifier) == toset(values(var.subnets)) && aws_autoscaling_group.coordinators.desired_capacity == 3
    error_message = "coordinators are not in every zone"
  }
  assert {
    condition     = aws_autoscaling_group.coordinators.health_check_type == "ELB"
    error_message = "a coordinator that is not ready is not replaced"
  }
  assert {
    condition     = one([for hook in aws_autoscaling_group.coordinators.initial_lifecycle_hook : hook if hook.lifecycle_transition == "autoscaling:EC2_INSTANCE_LAUNCHING"]).default_result == "ABANDON"
    error_message = "a coordinator that never serves stays"
  }
  assert {
    condition     = one([for hook in aws_autoscaling_group.coordinators.initial_lifecycle_hook : hook if hook.lifecycle_transition == "autoscaling:EC2_INSTANCE_TERMINATING"]).default_result == "CONTINUE"
    error_message = "there is no termination hook"
  }
  assert {
    condition     = aws_autoscaling_group.coordinators.instance_refresh[0].preferences[0].auto_rollback && aws_autoscaling_group.coordinators.instance_refresh[0].preferences[0].min_healthy_percentage == 100
    error_message = "a refresh leaves fewer coordinators, or does not roll back"
  }
  assert {
    condition     = one(data.aws_iam_policy_document.secret.statement).effect == "Deny" && contains(one(data.aws_iam_policy_document.secret.statement).actions, "secretsmanager:GetSecretValue") && one(one(data.aws_iam_policy_document.secret.statement).condition).test == "StringNotEquals"
    error_message = "others may read the secret"
  }
  assert {
    condition     = toset(one(one(data.aws_iam_policy_document.secret.statement).condition).values) == toset(["arn:aws:iam::123456789012:role/cloudmw/demo-coordinator", "arn:aws:iam::123456789012:role/cloudmw/demo-helpers"])
    error_message = "others than the two roles may read the secret"
  }
  assert {
    condition     = aws_secretsmanager_secret_policy.cluster.block_public_policy && aws_secretsmanager_secret.cluster.recovery_window_in_days == 30
    error_message = "the secret could become public, or be gone at once"
  }
  assert {
    condition     = toset(keys(data.aws_iam_policy_document.identity)) == toset(["authority", "admin-token"]) && alltrue([for _, document in data.aws_iam_policy_document.identity : one(document.statement).effect == "Deny" && one(one(document.statement).condition).test == "StringNotEquals" && one(one(document.statement).condition).variable == "aws:PrincipalArn" && one(one(document.statement).principals).identifiers == toset(["*"])])
    error_message = "somebody beside those named is not refused the authority or the administrator's token"
  }
  assert {
    condition     = alltrue([for _, document in data.aws_iam_policy_document.identity : one(one(document.statement).condition).values == tolist(["arn:aws:iam::123456789012:role/cloudmw/demo-coordinator"])])
    error_message = "others than coordinators, like helpers, may read the authority or the administrator's token"
  }
  assert {
    condition     = alltrue([for _, document in data.aws_iam_policy_document.identity : one(document.statement).actions == toset(["secretsmanager:BatchGetSecretValue", "secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue", "secretsmanager:UpdateSecret", "secretsmanager:UpdateSecretVersionStage"])])
    error_message = "others may read or replace the authority or the administrator's token by another call"
  }
  assert {
    condition     = { for key, policy in aws_secretsmanager_secret_policy.identity : key => policy.secret_arn } == { authority = output.authority_secret_arn, admin-token = output.admin_token_secret_arn } && alltrue([for _, policy in aws_secretsmanager_secret_policy.identity : policy.block_public_policy])
    error_message = "a policy is another secret's, or could make it public"
  }
  assert {
    condition     = { for key, secret in aws_secretsmanager_secret.identity : key => secret.name } == { authority = "cloudmw/demo/authority", admin-token = "cloudmw/demo/admin-token" } && alltrue([for _, secret in aws_secretsmanager_secret.identity : secret.recovery_window_in_days == 30])
    error_message = "the authority or the administrator's token has another name, or could be gone at once"
  }
  assert {
    condition     = jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).authority == output.authority_secret_arn && jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).admin_token == output.admin_token_secret_arn
    error_message = "coordinators do not know where the authority and the administrator's token are"
  }
  assert {
    condition     = !strcontains(jsonencode(output.cluster), "authority") && !strcontains(jsonencode(output.cluster), "admin")
    error_message = "fleets of helpers are told of the authority or the administrator's token"
  }
  assert {
    condition     = strcontains(output.user_data, "/var/lib/cloudmw/authority.pem") && strcontains(output.user_data, "/var/lib/cloudmw/admin.token") && !strcontains(output.user_data, "insecure")
    error_message = "coordinators do not read the authority and the token, or speak plain text"
  }
  assert {
    condition     = one(data.aws_iam_policy_document.catalog.statement).resources == toset(["arn:aws:dynamodb:eu-central-1:123456789012:table/demo-catalog"])
    error_message = "coordinators reach other tables"
  }
  assert {
    condition     = length(setintersection(one(data.aws_iam_policy_document.catalog.statement).actions, ["dynamodb:Scan", "dynamodb:DeleteTable", "dynamodb:UpdateTable", "dynamodb:CreateTable", "dynamodb:*"])) == 0
    error_message = "coordinators may change or scan the table"
  }
  assert {
    condition     = alltrue([for rule in concat([aws_vpc_security_group_ingress_rule.load_balancer_from_clients], values(aws_vpc_security_group_ingress_rule.coordinators_from_load_balancer)) : rule.cidr_ipv4 == null && rule.cidr_ipv6 == null && rule.prefix_list_id == null])
    error_message = "a rule lets in addresses, not a role"
  }
  assert {
    condition     = aws_vpc_security_group_ingress_rule.load_balancer_from_clients.referenced_security_group_id == "sg-0123456789abcdef2" && aws_vpc_security_group_ingress_rule.load_balancer_from_clients.to_port == 7400
    error_message = "others than clients reach the load balancer"
  }
  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_ingress_rule.coordinators_from_load_balancer : rule.referenced_security_group_id == "sg-0123456789abcdef1"]) && length(aws_vpc_security_group_ingress_rule.metrics) == 0
    error_message = "others than the load balancer reach coordinators"
  }
  assert {
    condition     = output.client_environment.CLOUDMW_COORDINATOR == "demo-crd.elb.eu-central-1.amazonaws.com:7400"
    error_message = "clients are told another address"
  }
  assert {
    condition     = strcontains(output.user_data, "dynamodb:demo-catalog")
    error_message = "coordinators do not use the table"
  }
}

run "own_key_and_metrics" {
  command = plan

  variables {
    kms_key_arn               = "arn:aws:kms:eu-central-1:123456789012:key/0b1c"
    metrics_security_group_id = "sg-0123456789abcdef9"
    fleets                    = ["near", "far"]
    size                      = 2
    settings                  = { "coordinator.scrub-every" = "10d" }
    administrator_arns        = ["arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/Admins_0a1b", "arn:aws:iam::123456789012:user/ada"]
  }

  assert {
    condition     = aws_dynamodb_table.catalog.server_side_encryption[0].kms_key_arn == var.kms_key_arn && aws_secretsmanager_secret.cluster.kms_key_id == var.kms_key_arn && alltrue([for _, secret in aws_secretsmanager_secret.identity : secret.kms_key_id == var.kms_key_arn])
    error_message = "the table or a secret has another key"
  }
  assert {
    condition     = aws_vpc_security_group_ingress_rule.metrics[0].referenced_security_group_id == var.metrics_security_group_id && aws_vpc_security_group_ingress_rule.metrics[0].from_port == 7480 && aws_vpc_security_group_ingress_rule.metrics[0].to_port == 7480
    error_message = "metrics are reached by others"
  }
  assert {
    condition     = length(one(one(data.aws_iam_policy_document.secret.statement).condition).values) == 3
    error_message = "a fleet may not read the secret"
  }
  assert {
    condition     = one(one(data.aws_iam_policy_document.identity["authority"].statement).condition).values == tolist(["arn:aws:iam::123456789012:role/cloudmw/demo-coordinator"])
    error_message = "administrators or helpers may read or replace the authority"
  }
  assert {
    condition     = toset(one(data.aws_iam_policy_document.identity["admin-token"].statement[0].condition).values) == setunion(var.administrator_arns, ["arn:aws:iam::123456789012:role/cloudmw/demo-coordinator"])
    error_message = "others than coordinators and administrators may read the administrator's token"
  }
  assert {
    condition     = length(data.aws_iam_policy_document.identity["admin-token"].statement) == 2 && coalesce(data.aws_iam_policy_document.identity["admin-token"].statement[1].effect, "Allow") == "Allow" && one(data.aws_iam_policy_document.identity["admin-token"].statement[1].principals).identifiers == var.administrator_arns && data.aws_iam_policy_document.identity["admin-token"].statement[1].actions == toset(["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"])
    error_message = "administrators may not read and replace their token, or others may, too"
  }
  assert {
    condition     = aws_autoscaling_group.coordinators.instance_refresh[0].preferences[0].max_healthy_percentage == 150
    error_message = "a refresh starts more than one further coordinator"
  }
  assert {
    condition     = strcontains(output.user_data, "coordinator.scrub-every")
    error_message = "settings do not reach the coordinators"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    name                      = "D"
    vpc_id                    = "main"
    subnets                   = { one = "subnet-0123456789abcdef0" }
    size                      = 0
    instance_type             = "large"
    ami_id                    = "ubuntu"
    root_device               = "sda1"
    package_url               = "file:///cloudmw.deb"
    root_size_gib             = 4
    kms_key_arn               = "alias/demo"
    stores                    = { one = { bucket = "b", prefix = "*", region = "eu-central-1" } }
    fleets                    = ["coordinator"]
    administrator_arns        = ["arn:aws:iam::123456789012:role/*"]
    recovery_days             = 40
    secret_recovery_days      = 3
    settings                  = { "helper.id" = "h1" }
    environment               = { "A B" = "c" }
    metrics_security_group_id = "prometheus"
    wait_for_capacity_timeout = "long"
    tags                      = { "aws:x" = "y" }
  }

  expect_failures = [
    var.name, var.vpc_id, var.subnets, var.size, var.instance_type, var.ami_id, var.root_device, var.package_url,
    var.root_size_gib, var.kms_key_arn, var.stores, var.fleets, var.administrator_arns, var.recovery_days,
    var.secret_recovery_days, var.settings, var.environment, var.metrics_security_group_id,
    var.wait_for_capacity_timeout, var.tags,
  ]
}

run "further_wrong_values_are_refused" {
  command = plan

  variables {
    subnets                    = { eu-central-1a = "10.0.0.0/24" }
    size                       = 2.5
    package_sha256             = null
    fleets                     = []
    settings                   = { "coordinator.listen" = "a\nb" }
    endpoint_security_group_id = "endpoints"
    permissions_boundary_arn   = "arn:aws:iam::123456789012:role/boundary"
  }

  expect_failures = [
    var.subnets, var.size, var.package_sha256, var.fleets, var.settings, var.endpoint_security_group_id,
    var.permissions_boundary_arn,
  ]
}

run "checksum_of_another_length_is_refused" {
  command = plan

  variables {
    package_sha256 = "e3b0"
  }

  expect_failures = [var.package_sha256]
}
