mock_provider "aws" {
  mock_data "aws_region" {
    defaults = { name = "eu-central-1" }
  }
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  name  = "demo"
  zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
}

run "defaults" {
  command = plan

  assert {
    condition     = alltrue([for subnet in aws_subnet.private : !subnet.map_public_ip_on_launch])
    error_message = "a private subnet gives out public addresses"
  }
  assert {
    condition     = toset(keys(aws_subnet.private)) == toset(var.zones)
    error_message = "not every zone has a subnet"
  }
  assert {
    condition     = length(distinct([for subnet in aws_subnet.private : subnet.cidr_block])) == 3
    error_message = "subnets overlap"
  }
  assert {
    condition     = alltrue([for endpoint in aws_vpc_endpoint.gateway : endpoint.vpc_endpoint_type == "Gateway"]) && toset(keys(aws_vpc_endpoint.gateway)) == toset(["s3", "dynamodb"])
    error_message = "S3 and DynamoDB have no gateway endpoints"
  }
  assert {
    condition     = length(aws_internet_gateway.nat) == 0 && length(aws_nat_gateway.this) == 0 && length(aws_route.private_out) == 0
    error_message = "there is a way to the internet by default"
  }
  assert {
    condition     = length(aws_eip.nat) == 0
    error_message = "there is a public address by default"
  }
  assert {
    condition     = alltrue([for endpoint in aws_vpc_endpoint.interface : endpoint.private_dns_enabled])
    error_message = "interface endpoints are not reached by AWS's names"
  }
  assert {
    condition     = contains(keys(aws_vpc_endpoint.interface), "secretsmanager") && contains(keys(aws_vpc_endpoint.interface), "ssm") && contains(keys(aws_vpc_endpoint.interface), "autoscaling") && contains(keys(aws_vpc_endpoint.interface), "ec2")
    error_message = "without NAT, an endpoint that instances need is missing"
  }
  assert {
    condition     = aws_default_security_group.closed.tags["Name"] == "demo-default-closed"
    error_message = "the default security group is not closed"
  }
  assert {
    condition     = length(aws_flow_log.this) == 1 && aws_cloudwatch_log_group.flow[0].retention_in_days == 365
    error_message = "there are no flow logs by default"
  }
}

run "nat_in_each_zone" {
  command = plan

  variables {
    nat                 = "per-zone"
    interface_endpoints = []
  }

  assert {
    condition     = toset(keys(aws_nat_gateway.this)) == toset(var.zones) && length(aws_route.private_out) == 3
    error_message = "not every zone has its NAT gateway"
  }
  assert {
    condition     = alltrue([for subnet in aws_subnet.nat : !subnet.map_public_ip_on_launch])
    error_message = "a subnet of NAT gives out public addresses"
  }
  assert {
    condition     = length(distinct(concat([for subnet in aws_subnet.nat : subnet.cidr_block], [for subnet in aws_subnet.private : subnet.cidr_block]))) == 6
    error_message = "subnets overlap"
  }
  assert {
    condition     = length(aws_security_group.endpoints) == 0
    error_message = "there is a group of endpoints without endpoints"
  }
}

run "single_nat" {
  command = plan

  variables {
    nat = "single"
  }

  assert {
    condition     = keys(aws_nat_gateway.this) == ["eu-central-1a"] && length(aws_route.private_out) == 3
    error_message = "not every zone goes through the one NAT gateway"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    name                = "Demo"
    cidr                = "10.0.0.0/24"
    zones               = ["eu-central-1a", "eu-central-1a"]
    nat                 = "yes"
    interface_endpoints = ["com.amazonaws.SSM"]
    flow_log_days       = 10
    log_kms_key_arn     = "alias/logs"
    tags                = { "cloudmw:cluster" = "other" }
  }

  expect_failures = [var.name, var.cidr, var.zones, var.nat, var.interface_endpoints, var.flow_log_days, var.log_kms_key_arn, var.tags]
}

run "further_wrong_values_are_refused" {
  command = plan

  variables {
    name                = "demo-"
    cidr                = "10.0.0.0"
    zones               = ["eu-central-1"]
    interface_endpoints = ["s3"]
    tags                = { "aws:x" = "y" }
  }

  expect_failures = [var.name, var.cidr, var.zones, var.interface_endpoints, var.tags]
}
