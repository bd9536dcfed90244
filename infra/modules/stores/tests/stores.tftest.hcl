mock_provider "aws" {
  mock_data "aws_region" {
    defaults = { name = "eu-central-1" }
  }
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  stores = {
    one = { bucket = "demo-one" }
    two = { bucket = "demo-two", prefix = "a/b" }
  }
}

run "defaults" {
  command = plan

  assert {
    condition     = alltrue([for block in aws_s3_bucket_public_access_block.store : block.block_public_acls && block.block_public_policy && block.ignore_public_acls && block.restrict_public_buckets]) && length(aws_s3_bucket_public_access_block.store) == 2
    error_message = "public access is not blocked"
  }
  assert {
    condition     = alltrue([for versioning in aws_s3_bucket_versioning.store : versioning.versioning_configuration[0].status == "Disabled"])
    error_message = "versioning is not off"
  }
  assert {
    condition     = alltrue([for controls in aws_s3_bucket_ownership_controls.store : controls.rule[0].object_ownership == "BucketOwnerEnforced"])
    error_message = "ACLs are in use"
  }
  assert {
    condition     = alltrue([for encryption in aws_s3_bucket_server_side_encryption_configuration.store : one(one(encryption.rule).apply_server_side_encryption_by_default).sse_algorithm == "AES256"])
    error_message = "buckets are not encrypted"
  }
  assert {
    condition     = alltrue([for lifecycle in aws_s3_bucket_lifecycle_configuration.store : lifecycle.rule[0].status == "Enabled" && lifecycle.rule[0].abort_incomplete_multipart_upload[0].days_after_initiation == 7])
    error_message = "parts of aborted uploads stay"
  }
  assert {
    condition     = length(aws_s3_bucket_policy.tls) == 2
    error_message = "a bucket has no policy"
  }
  assert {
    condition     = alltrue([for document in data.aws_iam_policy_document.tls : document.statement[0].effect == "Deny" && one(document.statement[0].condition).variable == "aws:SecureTransport" && one(document.statement[0].condition).values == tolist(["false"])])
    error_message = "requests without TLS are not refused"
  }
  assert {
    condition     = alltrue([for document in data.aws_iam_policy_document.tls : document.statement[1].effect == "Deny" && one(document.statement[1].condition).variable == "s3:TlsVersion"])
    error_message = "old versions of TLS are not refused"
  }
  assert {
    condition     = alltrue([for bucket in aws_s3_bucket.store : !bucket.force_destroy])
    error_message = "destroy deletes buckets with objects by default"
  }
  assert {
    condition     = output.commands.two == "cloudmw store add two s3://demo-two/a/b --region eu-central-1"
    error_message = "the command asks for another encryption than the bucket's"
  }
  assert {
    condition     = output.stores.two.prefix == "a/b" && output.stores.one.prefix == "cloudmw" && output.stores.one.region == "eu-central-1"
    error_message = "the output has other prefixes or regions"
  }
}

run "own_key" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:eu-central-1:123456789012:key/0b1c"
    log_bucket  = "demo-logs"
  }

  assert {
    condition     = alltrue([for encryption in aws_s3_bucket_server_side_encryption_configuration.store : one(one(encryption.rule).apply_server_side_encryption_by_default).kms_master_key_id == var.kms_key_arn && one(encryption.rule).bucket_key_enabled])
    error_message = "buckets are not encrypted by the key"
  }
  assert {
    condition     = alltrue([for encryption in aws_s3_bucket_server_side_encryption_configuration.store : one(one(encryption.rule).apply_server_side_encryption_by_default).sse_algorithm == "aws:kms"]) && length(aws_s3_bucket_server_side_encryption_configuration.store) == length(var.stores)
    error_message = "a bucket is not encrypted with SSE-KMS"
  }
  assert {
    condition     = alltrue([for store in output.stores : store.kms_key_arn == var.kms_key_arn])
    error_message = "the roles of coordinators and helpers would not get the key"
  }
  assert {
    condition     = output.commands.one == "cloudmw store add one s3://demo-one/cloudmw --region eu-central-1 --sse aws:kms --kms-key ${var.kms_key_arn} --bucket-key"
    error_message = "the command does not have objects encrypted with the key, and the check of store add would not prove it"
  }
  assert {
    condition     = alltrue([for logging in aws_s3_bucket_logging.store : logging.target_bucket == "demo-logs"]) && length(aws_s3_bucket_logging.store) == 2
    error_message = "accesses are not logged"
  }
}

run "wrong_values_are_refused" {
  command = plan

  variables {
    stores                   = { One = { bucket = "demo-one" } }
    kms_key_arn              = "alias/demo"
    abort_uploads_after_days = 0.5
    log_bucket               = "arn:aws:s3:::logs"
    tags                     = { "aws:x" = "y" }
  }

  expect_failures = [var.stores, var.kms_key_arn, var.abort_uploads_after_days, var.log_bucket, var.tags]
}

run "bucket_name_and_no_days_are_refused" {
  command = plan

  variables {
    stores                   = { one = { bucket = "Demo_One" } }
    abort_uploads_after_days = 0
  }

  expect_failures = [var.stores, var.abort_uploads_after_days]
}

run "prefix_with_a_slash_at_its_end_and_a_year_and_a_day_are_refused" {
  command = plan

  variables {
    stores                   = { one = { bucket = "demo-one", prefix = "a/" } }
    abort_uploads_after_days = 366
  }

  expect_failures = [var.stores, var.abort_uploads_after_days]
}

run "prefix_that_is_a_pattern_is_refused" {
  command = plan

  variables {
    stores = { one = { bucket = "demo-one", prefix = "*" } }
  }

  expect_failures = [var.stores]
}

run "two_stores_in_one_bucket_are_refused" {
  command = plan

  variables {
    stores = { one = { bucket = "demo" }, two = { bucket = "demo", prefix = "b" } }
  }

  expect_failures = [var.stores]
}
