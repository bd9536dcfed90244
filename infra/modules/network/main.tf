# A VPC without public instances: a private subnet in each zone, gateway endpoints for S3 and DynamoDB, and whatever of
# NAT and interface endpoints is asked for.

data "aws_region" "current" {}
data "aws_partition" "current" {}
data "aws_caller_identity" "current" {}

locals {
  tags      = merge(var.tags, { "cloudmw:cluster" = var.name })
  region    = data.aws_region.current.name
  number    = { for index, zone in var.zones : zone => index }
  nat_zones = var.nat == "none" ? [] : var.nat == "single" ? [var.zones[0]] : var.zones
}

resource "aws_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_support   = true
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = var.name })
}

# The group that AWS gives to whatever names no other: without rules.
resource "aws_default_security_group" "closed" {
  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-default-closed" })
}

resource "aws_subnet" "private" {
  for_each = local.number

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = cidrsubnet(var.cidr, 4, each.value)
  map_public_ip_on_launch = false
  tags                    = merge(local.tags, { Name = "${var.name}-${each.key}" })
}

resource "aws_route_table" "private" {
  for_each = local.number

  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-${each.key}" })
}

resource "aws_route_table_association" "private" {
  for_each = local.number

  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id
}

resource "aws_vpc_endpoint" "gateway" {
  for_each = toset(["s3", "dynamodb"])

  vpc_id            = aws_vpc.this.id
  service_name      = "com.amazonaws.${local.region}.${each.key}"
  vpc_endpoint_type = "Gateway"
  route_table_ids   = [for table in aws_route_table.private : table.id]
  tags              = merge(local.tags, { Name = "${var.name}-${each.key}" })
}

resource "aws_security_group" "endpoints" {
  # checkov:skip=CKV2_AWS_5:it belongs to the interface endpoints below
  count = length(var.interface_endpoints) > 0 ? 1 : 0

  name_prefix = "${var.name}-endpoints-"
  description = "Interface endpoints of ${var.name}"
  vpc_id      = aws_vpc.this.id
  tags        = merge(local.tags, { Name = "${var.name}-endpoints" })

  lifecycle {
    create_before_destroy = true
  }
}

# The rules that let instances in are made with the instances (variable endpoint_security_group_id of their modules).
resource "aws_vpc_endpoint" "interface" {
  for_each = var.interface_endpoints

  vpc_id              = aws_vpc.this.id
  service_name        = "com.amazonaws.${local.region}.${each.key}"
  vpc_endpoint_type   = "Interface"
  private_dns_enabled = true
  subnet_ids          = [for subnet in aws_subnet.private : subnet.id]
  security_group_ids  = [aws_security_group.endpoints[0].id]
  tags                = merge(local.tags, { Name = "${var.name}-${each.key}" })
}

# NAT: the only public addresses are those of the gateways.
resource "aws_internet_gateway" "nat" {
  count = length(local.nat_zones) > 0 ? 1 : 0

  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-nat" })
}

resource "aws_subnet" "nat" {
  for_each = toset(local.nat_zones)

  vpc_id                  = aws_vpc.this.id
  availability_zone       = each.key
  cidr_block              = cidrsubnet(var.cidr, 6, 56 + local.number[each.key])
  map_public_ip_on_launch = false
  tags                    = merge(local.tags, { Name = "${var.name}-nat-${each.key}" })
}

resource "aws_route_table" "nat" {
  count = length(local.nat_zones) > 0 ? 1 : 0

  vpc_id = aws_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-nat" })
}

resource "aws_route" "nat_out" {
  count = length(local.nat_zones) > 0 ? 1 : 0

  route_table_id         = aws_route_table.nat[0].id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.nat[0].id
}

resource "aws_route_table_association" "nat" {
  for_each = aws_subnet.nat

  subnet_id      = each.value.id
  route_table_id = aws_route_table.nat[0].id
}

resource "aws_eip" "nat" {
  # checkov:skip=CKV2_AWS_19:it belongs to the NAT gateway below
  for_each = toset(local.nat_zones)

  domain = "vpc"
  tags   = merge(local.tags, { Name = "${var.name}-nat-${each.key}" })
}

resource "aws_nat_gateway" "this" {
  for_each = toset(local.nat_zones)

  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.nat[each.key].id
  tags          = merge(local.tags, { Name = "${var.name}-${each.key}" })

  depends_on = [aws_internet_gateway.nat]
}

resource "aws_route" "private_out" {
  for_each = var.nat == "none" ? {} : local.number

  route_table_id         = aws_route_table.private[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.this[var.nat == "single" ? var.zones[0] : each.key].id
}

resource "aws_cloudwatch_log_group" "flow" {
  # checkov:skip=CKV_AWS_158:the key is the variable log_kms_key_arn; without one CloudWatch encrypts with its own
  # checkov:skip=CKV_AWS_338:the time is the variable flow_log_days, a year by default
  count = var.flow_log_days > 0 ? 1 : 0

  name              = "/cloudmw/${var.name}/flow"
  retention_in_days = var.flow_log_days
  kms_key_id        = var.log_kms_key_arn
  tags              = local.tags
}

data "aws_iam_policy_document" "flow_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["vpc-flow-logs.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

data "aws_iam_policy_document" "flow" {
  statement {
    actions = ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
    resources = [
      "arn:${data.aws_partition.current.partition}:logs:${local.region}:${data.aws_caller_identity.current.account_id}:log-group:/cloudmw/${var.name}/flow:*"
    ]
  }
}

resource "aws_iam_role" "flow" {
  count = var.flow_log_days > 0 ? 1 : 0

  name_prefix        = "${var.name}-flow-"
  assume_role_policy = data.aws_iam_policy_document.flow_trust.json
  tags               = local.tags
}

resource "aws_iam_role_policy" "flow" {
  count = var.flow_log_days > 0 ? 1 : 0

  name   = "write-flow-logs"
  role   = aws_iam_role.flow[0].id
  policy = data.aws_iam_policy_document.flow.json
}

resource "aws_flow_log" "this" {
  count = var.flow_log_days > 0 ? 1 : 0

  vpc_id          = aws_vpc.this.id
  traffic_type    = "REJECT"
  iam_role_arn    = aws_iam_role.flow[0].arn
  log_destination = aws_cloudwatch_log_group.flow[0].arn
  tags            = local.tags
}
