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
  group          = "helpers"
  process        = "helper"
  vpc_id         = "vpc-0123456789abcdef0"
  instance_type  = "m7g.2xlarge"
  package_url    = "s3://packages/cloudmw_0.1.0_all.deb"
  package_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  secret         = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo-AbCdEf" }
  ready_port     = 7481
  settings       = { "helper.id" = "{id}" }
  environment    = { CLOUDMW_LOG_LEVEL = "INFO" }
  stores = {
    one = { bucket = "demo-one", prefix = "cloudmw", region = "eu-central-1" }
    two = { bucket = "demo-two", prefix = "a/b", region = "eu-west-1", kms_key_arn = "arn:aws:kms:eu-west-1:123456789012:key/0b1c" }
  }
}

run "defaults" {
  command = plan

  assert {
    condition     = aws_launch_template.this.metadata_options[0].http_tokens == "required"
    error_message = "instance metadata answer without a token (IMDSv1)"
  }
  assert {
    condition     = aws_launch_template.this.metadata_options[0].http_put_response_hop_limit == 1
    error_message = "tokens of instance metadata leave the instance"
  }
  assert {
    condition     = tostring(aws_launch_template.this.network_interfaces[0].associate_public_ip_address) == "false"
    error_message = "instances have public addresses"
  }
  assert {
    condition     = aws_launch_template.this.key_name == null
    error_message = "instances have an SSH key"
  }
  assert {
    condition     = tostring(aws_launch_template.this.block_device_mappings[0].ebs[0].encrypted) == "true" && aws_launch_template.this.block_device_mappings[0].ebs[0].volume_type == "gp3"
    error_message = "the root volume is not an encrypted gp3 volume"
  }
  assert {
    condition     = tostring(aws_launch_template.this.ebs_optimized) == "true" && aws_launch_template.this.monitoring[0].enabled
    error_message = "instances have no EBS bandwidth of their own, or no monitoring by the minute"
  }
  assert {
    condition     = length(aws_launch_template.this.instance_market_options) == 0
    error_message = "instances are spot instances by default"
  }
  assert {
    condition     = aws_launch_template.this.image_id == "ami-0123456789abcdef0" && endswith(data.aws_ssm_parameter.image[0].name, "/arm64/hvm/ebs-gp3/ami-id")
    error_message = "the image is not the newest for the processor"
  }
  assert {
    condition     = length(aws_vpc_security_group_egress_rule.internet) == 0
    error_message = "instances reach the internet by default"
  }
  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_egress_rule.gateway : rule.prefix_list_id == "pl-0123456789abcdef0" && rule.from_port == 443 && rule.to_port == 443 && rule.cidr_ipv4 == null])
    error_message = "instances reach more than S3 and DynamoDB through the gateways"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Secret"]).resources) == var.secret.arn
    error_message = "the role may read other secrets"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Secret"]).actions) == toset(["secretsmanager:GetSecretValue"])
    error_message = "a helper may do more with the secret than read it"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Chunks"]).resources) == toset(["arn:aws:s3:::demo-one/cloudmw/*", "arn:aws:s3:::demo-two/a/b/*"])
    error_message = "the role reaches more objects than those below the prefixes"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Chunks"]).actions) == toset(["s3:DeleteObject", "s3:GetObject", "s3:PutObject"])
    error_message = "the role may do more with objects than read, write and delete them"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "ListTwo"]).condition).values == tolist(["a/b/*"])
    error_message = "the role lists more than its prefix"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if contains(coalesce(statement.resources, []), "arn:aws:kms:eu-west-1:123456789012:key/0b1c")]).condition).values == tolist(["s3.eu-west-1.amazonaws.com"])
    error_message = "the role may use the bucket's key for something else than S3"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if contains(coalesce(statement.resources, []), "arn:aws:kms:eu-west-1:123456789012:key/0b1c")]).actions) == toset(["kms:Decrypt", "kms:GenerateDataKey"])
    error_message = "the role cannot read and write objects that the key encrypts, or may do more with it"
  }
  assert {
    condition     = toset(flatten([for statement in data.aws_iam_policy_document.this.statement : statement.resources if anytrue([for action in statement.actions : startswith(action, "kms:")])])) == toset(["arn:aws:kms:eu-west-1:123456789012:key/0b1c"])
    error_message = "the role may use other keys than those of its buckets"
  }
  assert {
    condition     = toset([for statement in data.aws_iam_policy_document.this.statement : statement.sid if anytrue([for action in statement.actions : startswith(action, "secretsmanager:")])]) == toset(["Secret"])
    error_message = "a helper reaches other secrets than the cluster's, like the authority"
  }
  assert {
    condition     = jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).authority == null && jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).admin_token == null
    error_message = "a helper is told where the authority or the administrator's token is"
  }
  assert {
    condition     = length([for statement in data.aws_iam_policy_document.this.statement : statement if anytrue([for action in statement.actions : startswith(action, "ssm:GetParameter")])]) == 0
    error_message = "the role reads parameters, which may be secrets"
  }
  assert {
    condition     = length(aws_launch_template.this.block_device_mappings) == 1
    error_message = "instances have volumes beside the encrypted root volume"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "LifecycleHooks"]).resources) == "arn:aws:autoscaling:eu-central-1:123456789012:autoScalingGroup:*:autoScalingGroupName/demo-helpers"
    error_message = "the role completes hooks of other groups"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Package"]).resources) == "arn:aws:s3:::packages/cloudmw_0.1.0_all.deb"
    error_message = "the role reads more than its package"
  }
  assert {
    condition     = alltrue([for statement in data.aws_iam_policy_document.this.statement : statement.sid == "SessionManager" || !contains(statement.resources, "*")])
    error_message = "a statement other than Session Manager's is for all resources"
  }
  assert {
    condition     = alltrue(flatten([for statement in data.aws_iam_policy_document.this.statement : [for action in statement.actions : !strcontains(action, "*")]]))
    error_message = "an action is a pattern"
  }
  assert {
    condition     = one(one(data.aws_iam_policy_document.trust.statement).principals).identifiers == toset(["ec2.amazonaws.com"])
    error_message = "others than instances may take the role"
  }
  assert {
    condition     = aws_iam_role.this.name == "demo-helpers" && aws_iam_role.this.path == "/cloudmw/"
    error_message = "the role is not the one that the secret's policy names"
  }
  assert {
    condition     = length(base64gzip(output.user_data)) < 16384 * 4 / 3 && !strcontains(output.user_data, "PRIVATE KEY")
    error_message = "the user data are too long, or have a key"
  }
  assert {
    condition     = jsondecode(one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.content if file.path == "/etc/cloudmw-fleet.json"])).package_sha256 == var.package_sha256
    error_message = "instances do not know the package's checksum"
  }
  assert {
    condition     = one([for file in jsondecode(substr(output.user_data, 14, -1)).write_files : file.permissions if file.path == "/etc/cloudmw-fleet.json"]) == "0600"
    error_message = "other users of the instance read its configuration"
  }
}

run "coordinator_with_internet_and_endpoints" {
  command = plan

  variables {
    process                    = "coordinator"
    group                      = "coordinator"
    ami_id                     = "ami-00000000000000001"
    package_url                = null
    package_sha256             = null
    stores                     = {}
    internet_egress            = true
    endpoint_security_group_id = "sg-0123456789abcdef0"
    endpoint_access            = true
    spot                       = true
    identity = {
      authority_arn   = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/authority-AbCdEf"
      admin_token_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/admin-token-AbCdEf"
    }
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_egress_rule.internet : rule.from_port]) == toset([80, 443]) && alltrue([for rule in aws_vpc_security_group_egress_rule.internet : rule.from_port == rule.to_port && rule.ip_protocol == "tcp"])
    error_message = "more ports than 80 and 443 lead to the internet"
  }
  assert {
    condition     = aws_vpc_security_group_egress_rule.endpoints[0].referenced_security_group_id == var.endpoint_security_group_id && aws_vpc_security_group_ingress_rule.endpoints[0].cidr_ipv4 == null
    error_message = "endpoints are not reached by their group alone"
  }
  assert {
    condition     = length(data.aws_ssm_parameter.image) == 0 && aws_launch_template.this.image_id == "ami-00000000000000001"
    error_message = "the image is another one"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Secret"]).actions) == toset(["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"])
    error_message = "a coordinator cannot make the secret's value"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Identity"]).actions) == toset(["secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue"]) && toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "Identity"]).resources) == toset(values(var.identity))
    error_message = "a coordinator cannot make the authority and the administrator's token, or may do more"
  }
  assert {
    condition     = toset([for statement in data.aws_iam_policy_document.this.statement : statement.sid if anytrue([for action in statement.actions : startswith(action, "secretsmanager:")])]) == toset(["Secret", "Identity"])
    error_message = "a coordinator reaches secrets by another statement"
  }
  assert {
    condition     = length([for statement in data.aws_iam_policy_document.this.statement : statement if anytrue([for action in statement.actions : startswith(action, "s3:")])]) == 0
    error_message = "without stores the role reaches S3"
  }
  assert {
    condition     = aws_launch_template.this.instance_market_options[0].market_type == "spot"
    error_message = "instances are not spot instances"
  }
}

run "helper_that_drains_itself" {
  command = plan

  variables {
    operator_token = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:operator-AbCdEf", kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0c1d" }
  }

  assert {
    condition     = one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "OperatorToken"]).actions == toset(["secretsmanager:GetSecretValue"]) && one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "OperatorToken"]).resources == toset([var.operator_token.arn])
    error_message = "a helper may do more than read its own token"
  }
  assert {
    condition     = one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "OperatorTokenKey"]).actions == toset(["kms:Decrypt"]) && one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "OperatorTokenKey"]).condition).values == tolist(["secretsmanager.eu-central-1.amazonaws.com"])
    error_message = "a helper may use the key of its token for something else"
  }
  assert {
    condition     = toset([for statement in data.aws_iam_policy_document.this.statement : statement.sid if anytrue([for action in statement.actions : startswith(action, "secretsmanager:")])]) == toset(["Secret", "OperatorToken"])
    error_message = "a helper reaches secrets by another statement"
  }
}

run "own_key" {
  command = plan

  variables {
    process     = "coordinator"
    group       = "coordinator"
    kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0a1a"
    secret = {
      arn         = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo-AbCdEf"
      kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0a1a"
    }
    identity = {
      authority_arn   = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/authority-AbCdEf"
      admin_token_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/admin-token-AbCdEf"
    }
  }

  assert {
    condition     = tostring(aws_launch_template.this.block_device_mappings[0].ebs[0].encrypted) == "true" && aws_launch_template.this.block_device_mappings[0].ebs[0].kms_key_id == var.kms_key_arn
    error_message = "the root volume is not encrypted with the key"
  }
  assert {
    condition     = one(one([for statement in data.aws_iam_policy_document.this.statement : statement if statement.sid == "SecretKey"]).condition).values == tolist(["secretsmanager.eu-central-1.amazonaws.com"])
    error_message = "the role may use the secret's key for something else than the secret"
  }
  assert {
    condition     = toset(one([for statement in data.aws_iam_policy_document.this.statement : statement if contains(coalesce(statement.resources, []), "arn:aws:kms:eu-west-1:123456789012:key/0b1c")]).actions) == toset(["kms:Decrypt", "kms:GenerateDataKey"])
    error_message = "a coordinator cannot test a bucket that the key encrypts"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    name                       = "demo_1"
    group                      = "Helpers"
    process                    = "client"
    vpc_id                     = "demo"
    instance_type              = "large"
    ami_id                     = "ubuntu"
    root_device                = "sda1"
    package_url                = "http://example.org/cloudmw.deb"
    root_size_gib              = 8
    root_iops                  = 100
    root_throughput            = 2000
    kms_key_arn                = "alias/demo"
    secret                     = { arn = "cloudmw/demo" }
    environment                = { "lower" = "a" }
    endpoint_security_group_id = "default"
  }

  expect_failures = [
    var.name, var.group, var.process, var.vpc_id, var.instance_type, var.ami_id, var.root_device, var.package_url,
    var.root_size_gib, var.root_iops, var.root_throughput, var.kms_key_arn, var.secret,
    var.environment, var.endpoint_security_group_id,
  ]
}

run "names_instead_of_arns_are_refused" {
  command = plan

  variables {
    process  = "coordinator"
    group    = "coordinator"
    identity = { authority_arn = "cloudmw/demo/authority", admin_token_arn = "cloudmw/demo/admin-token" }
  }

  expect_failures = [var.identity]
}

run "coordinator_without_an_authority_is_refused" {
  command = plan

  variables {
    process = "coordinator"
    group   = "coordinator"
  }

  expect_failures = [var.identity]
}

run "helper_with_an_authority_is_refused" {
  command = plan

  variables {
    identity = {
      authority_arn   = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/authority-AbCdEf"
      admin_token_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cloudmw/demo/admin-token-AbCdEf"
    }
  }

  expect_failures = [var.identity]
}

run "package_without_checksum_is_refused" {
  command = plan

  variables {
    package_sha256 = null
    environment    = { A = "say \"hello\"" }
  }

  expect_failures = [var.package_sha256, var.environment]
}

run "checksum_that_is_too_short_is_refused" {
  command = plan

  variables {
    package_sha256 = "e3b0"
  }

  expect_failures = [var.package_sha256]
}

run "image_without_a_package_is_refused" {
  command = plan

  variables {
    package_url    = null
    package_sha256 = null
  }

  expect_failures = [aws_launch_template.this]
}
