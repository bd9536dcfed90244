# Coordinators that share a catalog in DynamoDB, behind an internal load balancer; the cluster's secret, its authority and
# the administrator's token.

data "aws_region" "current" {}
data "aws_partition" "current" {}
data "aws_caller_identity" "current" {}

locals {
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  tags      = merge(var.tags, { "cloudmw:cluster" = var.name })

  serve_port = 7400
  http_port  = 7480

  # The roles have these names in the module instance.
  role_arns = {
    for group in concat(["coordinator"], sort(var.fleets)) :
    group => "arn:${local.partition}:iam::${local.account}:role/cloudmw/${var.name}-${group}"
  }
  coordinator_arn = local.role_arns["coordinator"]

  heap_mib = max(256, min(4096, floor(module.instance.type.memory_mib / 4)))
}

# The catalog. Its keys are those of TableSchema in the coordinator, which refuses any others.
resource "aws_dynamodb_table" "catalog" {
  # checkov:skip=CKV_AWS_119:the key is the variable kms_key_arn; without one AWS's own encrypts
  # checkov:skip=CKV2_AWS_16:billed on demand: there is no capacity to scale
  name                        = "${var.name}-catalog"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  range_key                   = "sk"
  deletion_protection_enabled = var.deletion_protection
  tags                        = local.tags

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "S"
  }

  point_in_time_recovery {
    enabled                 = true
    recovery_period_in_days = var.recovery_days
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

# The secret gets its value from the first coordinator, so that no value is in Terraform's state.
resource "aws_secretsmanager_secret" "cluster" {
  # checkov:skip=CKV_AWS_149:the key is the variable kms_key_arn; without one AWS's own encrypts
  # checkov:skip=CKV2_AWS_57:a new value takes effect when all processes are started again; infra/README.md has the steps
  name                    = "cloudmw/${var.name}"
  description             = "Secret of the CloudMW cluster ${var.name}"
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
  tags                    = local.tags
}

data "aws_iam_policy_document" "secret" {
  statement {
    sid       = "OnlyTheRolesRead"
    effect    = "Deny"
    actions   = ["secretsmanager:GetSecretValue", "secretsmanager:BatchGetSecretValue"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalArn"
      values   = values(local.role_arns)
    }
  }
}

resource "aws_secretsmanager_secret_policy" "cluster" {
  secret_arn          = aws_secretsmanager_secret.cluster.arn
  policy              = data.aws_iam_policy_document.secret.json
  block_public_policy = true
}

# The authority signs the certificates of all processes: whoever reads or replaces it is any of them. The administrator's
# token may do everything in the cluster. Both get their values from the first coordinator.
locals {
  identity = {
    authority = {
      description = "Key and certificate of the authority of the CloudMW cluster ${var.name}"
      users       = [local.coordinator_arn]
    }
    admin-token = {
      description = "Token of the administrator of the CloudMW cluster ${var.name}"
      users       = concat([local.coordinator_arn], sort(var.administrator_arns))
    }
  }
}

resource "aws_secretsmanager_secret" "identity" {
  # checkov:skip=CKV_AWS_149:the key is the variable kms_key_arn; without one AWS's own encrypts
  # checkov:skip=CKV2_AWS_57:a new value takes effect when the coordinators are started again; infra/README.md has the steps
  for_each = local.identity

  name                    = "cloudmw/${var.name}/${each.key}"
  description             = each.value.description
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
  tags                    = local.tags
}

data "aws_iam_policy_document" "identity" {
  for_each = local.identity

  statement {
    sid    = "OnlyTheseReadAndWrite"
    effect = "Deny"
    actions = [
      "secretsmanager:BatchGetSecretValue",
      "secretsmanager:GetSecretValue",
      "secretsmanager:PutSecretValue",
      "secretsmanager:UpdateSecret",
      "secretsmanager:UpdateSecretVersionStage",
    ]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalArn"
      values   = each.value.users
    }
  }

  # Coordinators have the right by their role.
  dynamic "statement" {
    for_each = length(each.value.users) == 1 ? [] : [slice(each.value.users, 1, length(each.value.users))]

    content {
      sid       = "Administrators"
      actions   = ["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"]
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = statement.value
      }
    }
  }
}

resource "aws_secretsmanager_secret_policy" "identity" {
  for_each = local.identity

  secret_arn          = aws_secretsmanager_secret.identity[each.key].arn
  policy              = data.aws_iam_policy_document.identity[each.key].json
  block_public_policy = true
}

data "aws_iam_policy_document" "catalog" {
  statement {
    sid = "Catalog"
    actions = [
      "dynamodb:BatchGetItem",
      "dynamodb:BatchWriteItem",
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:DescribeTable",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.catalog.arn]
  }

  dynamic "statement" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]

    content {
      sid       = "CatalogKey"
      actions   = ["kms:Decrypt", "kms:DescribeKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["dynamodb.${data.aws_region.current.name}.amazonaws.com"]
      }
    }
  }
}

module "instance" {
  source = "../instance"

  name            = var.name
  group           = "coordinator"
  process         = "coordinator"
  vpc_id          = var.vpc_id
  instance_type   = var.instance_type
  ami_id          = var.ami_id
  root_device     = var.root_device
  package_url     = var.package_url
  package_sha256  = var.package_sha256
  root_size_gib   = var.root_size_gib
  kms_key_arn     = var.kms_key_arn
  stores          = var.stores
  policies        = { catalog = data.aws_iam_policy_document.catalog.json }
  internet_egress = var.internet_egress
  tags            = var.tags

  permissions_boundary_arn   = var.permissions_boundary_arn
  endpoint_security_group_id = var.endpoint_security_group_id
  endpoint_access            = var.endpoint_access

  secret = {
    arn         = aws_secretsmanager_secret.cluster.arn
    kms_key_arn = var.kms_key_arn
  }
  identity = {
    authority_arn   = aws_secretsmanager_secret.identity["authority"].arn
    admin_token_arn = aws_secretsmanager_secret.identity["admin-token"].arn
  }

  ready_port = local.http_port
  settings = merge({
    "coordinator.listen"         = "0.0.0.0:${local.serve_port}"
    "coordinator.http.listen"    = "0.0.0.0:${local.http_port}"
    "coordinator.data-dir"       = "/var/lib/cloudmw/coordinator"
    "coordinator.catalog"        = "dynamodb:${aws_dynamodb_table.catalog.name}"
    "coordinator.catalog-region" = data.aws_region.current.name
    "cluster.secret-file"        = "/var/lib/cloudmw/cluster.secret"
    "tls.authority"              = "/var/lib/cloudmw/authority.pem"
    "tls.admin-token-file"       = "/var/lib/cloudmw/admin.token"
  }, var.settings)
  environment = merge({
    CLOUDMW_JAVA_OPTS = "-Xmx${local.heap_mib}m -XX:MaxDirectMemorySize=256m -XX:+ExitOnOutOfMemoryError"
  }, var.environment)
}

resource "aws_security_group" "load_balancer" {
  name_prefix = "${var.name}-coordinators-"
  description = "Load balancer of the coordinators of ${var.name}"
  vpc_id      = var.vpc_id
  tags        = merge(local.tags, { Name = "${var.name}-coordinators" })

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_security_group" "client" {
  # checkov:skip=CKV2_AWS_5:the machines of users have it
  name_prefix = "${var.name}-client-"
  description = "Clients of ${var.name}: whoever has this group reaches coordinators and helpers"
  vpc_id      = var.vpc_id
  tags        = merge(local.tags, { Name = "${var.name}-client" })

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_ingress_rule" "load_balancer_from_clients" {
  security_group_id            = aws_security_group.load_balancer.id
  description                  = "clients"
  referenced_security_group_id = aws_security_group.client.id
  ip_protocol                  = "tcp"
  from_port                    = local.serve_port
  to_port                      = local.serve_port
}

resource "aws_vpc_security_group_egress_rule" "clients_to_load_balancer" {
  security_group_id            = aws_security_group.client.id
  description                  = "coordinators"
  referenced_security_group_id = aws_security_group.load_balancer.id
  ip_protocol                  = "tcp"
  from_port                    = local.serve_port
  to_port                      = local.serve_port
}

resource "aws_vpc_security_group_egress_rule" "load_balancer_to_coordinators" {
  for_each = { serve = local.serve_port, ready = local.http_port }

  security_group_id            = aws_security_group.load_balancer.id
  description                  = "coordinators, ${each.key}"
  referenced_security_group_id = module.instance.security_group_id
  ip_protocol                  = "tcp"
  from_port                    = each.value
  to_port                      = each.value
}

resource "aws_vpc_security_group_ingress_rule" "coordinators_from_load_balancer" {
  for_each = { serve = local.serve_port, ready = local.http_port }

  security_group_id            = module.instance.security_group_id
  description                  = "load balancer, ${each.key}"
  referenced_security_group_id = aws_security_group.load_balancer.id
  ip_protocol                  = "tcp"
  from_port                    = each.value
  to_port                      = each.value
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

resource "aws_lb" "coordinators" {
  # checkov:skip=CKV_AWS_150:the variable deletion_protection, on by default; multi-az derives it from another one
  # checkov:skip=CKV_AWS_91:a network load balancer logs TLS listeners only; the coordinators write an audit log
  # checkov:skip=CKV2_AWS_28:internal, and WAF has no network load balancers
  name                             = "${var.name}-crd"
  internal                         = true
  load_balancer_type               = "network"
  subnets                          = values(var.subnets)
  security_groups                  = [aws_security_group.load_balancer.id]
  enable_cross_zone_load_balancing = true
  enable_deletion_protection       = var.deletion_protection
  tags                             = local.tags
}

resource "aws_lb_target_group" "coordinators" {
  # checkov:skip=CKV_AWS_378:TCP to the coordinators, which is gRPC; only the question of readiness is HTTP
  name                   = "${var.name}-crd"
  vpc_id                 = var.vpc_id
  target_type            = "instance"
  protocol               = "TCP"
  port                   = local.serve_port
  preserve_client_ip     = true
  deregistration_delay   = 30
  connection_termination = true
  tags                   = local.tags

  health_check {
    protocol            = "HTTP"
    port                = local.http_port
    path                = "/readyz"
    matcher             = "200"
    interval            = 10
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "coordinators" {
  # checkov:skip=CKV_AWS_2:TCP: it passes on the TLS of the coordinators, whose certificates their own authority signs
  # checkov:skip=CKV_AWS_103:TCP: it passes on the TLS of the coordinators, which is 1.3
  load_balancer_arn = aws_lb.coordinators.arn
  protocol          = "TCP"
  port              = local.serve_port
  tags              = local.tags

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.coordinators.arn
  }
}

resource "aws_autoscaling_group" "coordinators" {
  name                      = module.instance.name
  vpc_zone_identifier       = values(var.subnets)
  min_size                  = var.size
  desired_capacity          = var.size
  max_size                  = var.size
  target_group_arns         = [aws_lb_target_group.coordinators.arn]
  health_check_type         = "ELB"
  health_check_grace_period = 300
  default_instance_warmup   = 30
  termination_policies      = ["OldestLaunchTemplate", "OldestInstance"]
  enabled_metrics           = ["GroupDesiredCapacity", "GroupInServiceInstances", "GroupPendingInstances", "GroupTerminatingInstances"]
  wait_for_capacity_timeout = var.wait_for_capacity_timeout

  launch_template {
    id      = module.instance.launch_template.id
    version = module.instance.launch_template.version
  }

  initial_lifecycle_hook {
    name                 = module.instance.hooks.launch
    lifecycle_transition = "autoscaling:EC2_INSTANCE_LAUNCHING"
    default_result       = "ABANDON"
    heartbeat_timeout    = 900
  }

  initial_lifecycle_hook {
    name                 = module.instance.hooks.termination
    lifecycle_transition = "autoscaling:EC2_INSTANCE_TERMINATING"
    default_result       = "CONTINUE"
    heartbeat_timeout    = 300
  }

  # A new coordinator serves before an old one goes.
  instance_refresh {
    strategy = "Rolling"

    preferences {
      min_healthy_percentage = 100
      max_healthy_percentage = min(200, ceil(100 * (var.size + 1) / var.size))
      auto_rollback          = true
      skip_matching          = true
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
    aws_lb_listener.coordinators,
    aws_secretsmanager_secret_policy.cluster,
    aws_secretsmanager_secret_policy.identity,
  ]
}
