# Everything at once: own keys, no way to the internet, helpers with disks, a second fleet of switches with a warm pool,
# alarms.

provider "aws" {
  region = var.region
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}

locals {
  tags      = { project = "cloudmw", cluster = var.name }
  account   = "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}"
  key_users = ["AWSServiceRoleForAutoScaling"]
}

# One key for table, secret, disks and buckets. The account's policies say who may use it, and Auto Scaling makes
# encrypted volumes with it.
data "aws_iam_policy_document" "key" {
  # checkov:skip=CKV_AWS_109:a key's policy is about the key itself
  # checkov:skip=CKV_AWS_111:a key's policy is about the key itself
  # checkov:skip=CKV_AWS_356:a key's policy is about the key itself
  statement {
    sid       = "Account"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["${local.account}:root"]
    }
  }

  statement {
    sid       = "AutoScalingUsesIt"
    actions   = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = [for role in local.key_users : "${local.account}:role/aws-service-role/autoscaling.amazonaws.com/${role}"]
    }
  }

  statement {
    sid       = "AutoScalingAttaches"
    actions   = ["kms:CreateGrant"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = [for role in local.key_users : "${local.account}:role/aws-service-role/autoscaling.amazonaws.com/${role}"]
    }

    condition {
      test     = "Bool"
      variable = "kms:GrantIsForAWSResource"
      values   = ["true"]
    }
  }
}

resource "aws_kms_key" "this" {
  description         = "CloudMW cluster ${var.name}"
  enable_key_rotation = true
  policy              = data.aws_iam_policy_document.key.json
  tags                = local.tags
}

module "network" {
  source = "../../modules/network"

  name  = var.name
  cidr  = "10.80.0.0/16"
  zones = ["${var.region}a", "${var.region}b", "${var.region}c"]
  nat   = "none"
  tags  = local.tags
}

module "stores" {
  source = "../../modules/stores"

  stores = {
    one = { bucket = "${var.bucket_prefix}-one", prefix = "cloudmw/${var.name}" }
    two = { bucket = "${var.bucket_prefix}-two", prefix = "cloudmw/${var.name}" }
  }
  kms_key_arn              = aws_kms_key.this.arn
  abort_uploads_after_days = 2
  tags                     = local.tags
}

module "coordinator" {
  source = "../../modules/coordinator"

  name        = var.name
  vpc_id      = module.network.vpc_id
  subnets     = module.network.subnets
  size        = 3
  ami_id      = var.ami_id
  kms_key_arn = aws_kms_key.this.arn
  stores      = module.stores.stores
  fleets      = ["helpers", "switches"]
  settings    = { "coordinator.repair-after" = "30m" }
  environment = { CLOUDMW_LOG_LEVEL = "INFO" }
  tags        = local.tags

  permissions_boundary_arn   = var.permissions_boundary_arn
  endpoint_security_group_id = module.network.endpoint_security_group_id
  endpoint_access            = true

  administrator_arns = var.administrator_arns
}

module "helpers" {
  source = "../../modules/helper-fleet"

  name          = var.name
  fleet         = "helpers"
  vpc_id        = module.network.vpc_id
  subnets       = module.network.subnets
  size          = 6
  instance_type = "m7g.2xlarge"
  ami_id        = var.ami_id
  kms_key_arn   = aws_kms_key.this.arn
  stores        = module.stores.stores
  coordinator   = module.coordinator.cluster
  disk_size_gib = 2000
  tags          = local.tags

  permissions_boundary_arn   = var.permissions_boundary_arn
  endpoint_security_group_id = module.network.endpoint_security_group_id
  endpoint_access            = true
}

module "switches" {
  source = "../../modules/helper-fleet"

  name            = var.name
  fleet           = "switches"
  vpc_id          = module.network.vpc_id
  subnets         = module.network.subnets
  size            = 3
  instance_type   = "r7g.xlarge"
  ami_id          = var.ami_id
  kms_key_arn     = aws_kms_key.this.arn
  stores          = module.stores.stores
  coordinator     = module.coordinator.cluster
  switch_volumes  = ["*"]
  root_size_gib   = 240
  root_throughput = 250
  cache_disk_gib  = 200
  warm_pool_size  = 1
  tags            = local.tags

  permissions_boundary_arn   = var.permissions_boundary_arn
  endpoint_security_group_id = module.network.endpoint_security_group_id
  endpoint_access            = true
}

module "monitoring" {
  source = "../../modules/monitoring"

  name          = var.name
  coordinator   = module.coordinator.monitored
  fleets        = { helpers = module.helpers.monitored, switches = module.switches.monitored }
  alarm_actions = var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]
  tags          = local.tags
}
