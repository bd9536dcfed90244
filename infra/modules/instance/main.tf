# Used by the modules coordinator and helper-fleet: how an instance of either is made, and what it may do.

data "aws_region" "current" {}
data "aws_partition" "current" {}
data "aws_caller_identity" "current" {}

data "aws_ec2_instance_type" "this" {
  instance_type = var.instance_type
}

data "aws_ssm_parameter" "image" {
  count = var.ami_id == null ? 1 : 0

  name = "/aws/service/canonical/ubuntu/server/24.04/stable/current/${local.processor}/hvm/ebs-gp3/ami-id"
}

data "aws_ec2_managed_prefix_list" "gateway" {
  for_each = toset(["s3", "dynamodb"])

  name = "com.amazonaws.${local.region}.${each.key}"
}

locals {
  region    = data.aws_region.current.name
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  full_name = "${var.name}-${var.group}"
  processor = contains(data.aws_ec2_instance_type.this.supported_architectures, "arm64") ? "arm64" : "amd64"
  tags      = merge(var.tags, { "cloudmw:cluster" = var.name, "cloudmw:group" = local.full_name })

  launch_hook      = "${local.full_name}-serves"
  termination_hook = "${local.full_name}-left"

  package_object = try(regex("^s3://(.+)$", var.package_url)[0], null)

  agent = {
    process          = var.process
    group            = local.full_name
    region           = local.region
    secret           = var.secret.arn
    authority        = try(var.identity.authority_arn, null)
    admin_token      = try(var.identity.admin_token_arn, null)
    operator_token   = try(var.operator_token.arn, null)
    package_url      = var.package_url
    package_sha256   = var.package_sha256
    settings         = var.settings
    environment      = var.environment
    ready_port       = var.ready_port
    has_disk         = var.has_disk
    launch_hook      = local.launch_hook
    termination_hook = local.termination_hook
  }

  # JSON is YAML, which cloud-init reads.
  user_data = join("\n", ["#cloud-config", jsonencode({
    write_files = [
      {
        path        = "/usr/local/lib/cloudmw-fleet/agent.py"
        permissions = "0755"
        content     = file("${path.module}/files/agent.py")
      },
      {
        path        = "/etc/systemd/system/cloudmw-fleet.service"
        permissions = "0644"
        content     = file("${path.module}/files/cloudmw-fleet.service")
      },
      {
        path        = "/etc/cloudmw-fleet.json"
        permissions = "0600"
        content     = jsonencode(local.agent)
      },
    ]
    runcmd = [["systemctl", "enable", "--now", "cloudmw-fleet.service"]]
  })])
}

resource "aws_security_group" "this" {
  name_prefix = "${local.full_name}-"
  description = "${var.process} of ${var.name}"
  vpc_id      = var.vpc_id
  tags        = merge(local.tags, { Name = local.full_name })

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_egress_rule" "gateway" {
  for_each = data.aws_ec2_managed_prefix_list.gateway

  security_group_id = aws_security_group.this.id
  description       = "${each.key} of this region"
  prefix_list_id    = each.value.id
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

resource "aws_vpc_security_group_egress_rule" "endpoints" {
  count = var.endpoint_access ? 1 : 0

  security_group_id            = aws_security_group.this.id
  description                  = "interface endpoints"
  referenced_security_group_id = var.endpoint_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}

resource "aws_vpc_security_group_ingress_rule" "endpoints" {
  count = var.endpoint_access ? 1 : 0

  security_group_id            = var.endpoint_security_group_id
  description                  = local.full_name
  referenced_security_group_id = aws_security_group.this.id
  ip_protocol                  = "tcp"
  from_port                    = 443
  to_port                      = 443
}

resource "aws_vpc_security_group_egress_rule" "internet" {
  for_each = toset(var.internet_egress ? ["80", "443"] : [])

  security_group_id = aws_security_group.this.id
  description       = "package servers and AWS, through NAT"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = tonumber(each.key)
  to_port           = tonumber(each.key)
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "this" {
  statement {
    sid       = "Secret"
    actions   = concat(["secretsmanager:GetSecretValue"], var.process == "coordinator" ? ["secretsmanager:PutSecretValue"] : [])
    resources = [var.secret.arn]
  }

  dynamic "statement" {
    for_each = var.identity == null ? [] : [var.identity]

    content {
      sid       = "Identity"
      actions   = ["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"]
      resources = [statement.value.authority_arn, statement.value.admin_token_arn]
    }
  }

  dynamic "statement" {
    for_each = var.operator_token == null ? [] : [var.operator_token]

    content {
      sid       = "OperatorToken"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = [statement.value.arn]
    }
  }

  dynamic "statement" {
    for_each = toset(compact([try(var.operator_token.kms_key_arn, null)]))

    content {
      sid       = "OperatorTokenKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["secretsmanager.${local.region}.amazonaws.com"]
      }
    }
  }

  dynamic "statement" {
    for_each = var.secret.kms_key_arn == null ? [] : [var.secret.kms_key_arn]

    content {
      sid       = "SecretKey"
      actions   = concat(["kms:Decrypt"], var.process == "coordinator" ? ["kms:GenerateDataKey"] : [])
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["secretsmanager.${local.region}.amazonaws.com"]
      }
    }
  }

  statement {
    sid     = "LifecycleHooks"
    actions = ["autoscaling:CompleteLifecycleAction", "autoscaling:RecordLifecycleActionHeartbeat"]
    resources = [
      "arn:${local.partition}:autoscaling:${local.region}:${local.account}:autoScalingGroup:*:autoScalingGroupName/${local.full_name}"
    ]
  }

  dynamic "statement" {
    for_each = length(var.stores) == 0 ? [] : [var.stores]

    content {
      sid       = "Chunks"
      actions   = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
      resources = [for _, store in statement.value : "arn:${local.partition}:s3:::${store.bucket}/${store.prefix}/*"]
    }
  }

  dynamic "statement" {
    for_each = var.stores

    content {
      sid       = "List${replace(title(replace(statement.key, "-", " ")), " ", "")}"
      actions   = ["s3:ListBucket"]
      resources = ["arn:${local.partition}:s3:::${statement.value.bucket}"]

      # IfExists: S3 tells that an object is not there (404, not 403) only to those who may list. That question has no
      # prefix.
      condition {
        test     = "StringLikeIfExists"
        variable = "s3:prefix"
        values   = ["${statement.value.prefix}/*"]
      }
    }
  }

  dynamic "statement" {
    for_each = toset(compact([for _, store in var.stores : store.kms_key_arn]))

    content {
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["s3.${split(":", statement.value)[3]}.amazonaws.com"]
      }
    }
  }

  dynamic "statement" {
    for_each = local.package_object == null ? [] : [local.package_object]

    content {
      sid       = "Package"
      actions   = ["s3:GetObject"]
      resources = ["arn:${local.partition}:s3:::${statement.value}"]
    }
  }

  # What Session Manager needs, and no more: the managed policy also reads every parameter of the account. None of these
  # actions can be limited to a resource.
  statement {
    # checkov:skip=CKV_AWS_111:Session Manager's actions take no resource
    # checkov:skip=CKV_AWS_356:Session Manager's actions take no resource
    sid = "SessionManager"
    actions = [
      "ssm:UpdateInstanceInformation",
      "ssmmessages:CreateControlChannel",
      "ssmmessages:CreateDataChannel",
      "ssmmessages:OpenControlChannel",
      "ssmmessages:OpenDataChannel",
    ]
    resources = ["*"]
  }
}

resource "aws_iam_role" "this" {
  name                 = local.full_name
  path                 = "/cloudmw/"
  description          = "${var.process} of ${var.name}"
  assume_role_policy   = data.aws_iam_policy_document.trust.json
  permissions_boundary = var.permissions_boundary_arn
  tags                 = local.tags
}

resource "aws_iam_role_policy" "this" {
  name   = "base"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.this.json
}

resource "aws_iam_role_policy" "further" {
  for_each = var.policies

  name   = each.key
  role   = aws_iam_role.this.id
  policy = each.value
}

resource "aws_iam_instance_profile" "this" {
  name = local.full_name
  path = "/cloudmw/"
  role = aws_iam_role.this.name
  tags = local.tags
}

resource "aws_launch_template" "this" {
  name                                 = local.full_name
  description                          = "${var.process} of ${var.name}"
  image_id                             = var.ami_id == null ? nonsensitive(data.aws_ssm_parameter.image[0].value) : var.ami_id
  instance_type                        = var.instance_type
  instance_initiated_shutdown_behavior = "terminate"
  ebs_optimized                        = true
  update_default_version               = true
  user_data                            = base64gzip(local.user_data)
  tags                                 = local.tags

  iam_instance_profile {
    arn = aws_iam_instance_profile.this.arn
  }

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
    instance_metadata_tags      = "disabled"
  }

  monitoring {
    enabled = true
  }

  network_interfaces {
    device_index                = 0
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = [aws_security_group.this.id]
  }

  block_device_mappings {
    device_name = var.root_device

    ebs {
      encrypted             = true
      kms_key_id            = var.kms_key_arn
      volume_type           = "gp3"
      volume_size           = var.root_size_gib
      iops                  = var.root_iops
      throughput            = var.root_throughput
      delete_on_termination = true
    }
  }

  dynamic "instance_market_options" {
    for_each = var.spot ? ["spot"] : []

    content {
      market_type = instance_market_options.value
    }
  }

  dynamic "tag_specifications" {
    for_each = ["instance", "volume", "network-interface"]

    content {
      resource_type = tag_specifications.value
      tags          = merge(local.tags, { Name = local.full_name })
    }
  }

  lifecycle {
    precondition {
      condition     = var.ami_id != null || var.package_url != null
      error_message = "ami_id: expected an image that has the package, or a package_url."
    }

    precondition {
      condition     = length(base64gzip(local.user_data)) <= 16384 * 4 / 3
      error_message = "settings: the user data of the instances would have more than 16 KiB."
    }
  }

  depends_on = [aws_iam_role_policy.this, aws_iam_role_policy.further]
}
