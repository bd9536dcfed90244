# Buckets for chunks. Versioning is off: chunks never change, and an old version of a deleted chunk would only cost.

data "aws_region" "current" {}

resource "aws_s3_bucket" "store" {
  # checkov:skip=CKV_AWS_21:chunks never change; a version would keep every deleted chunk for ever
  # checkov:skip=CKV_AWS_144:the cluster keeps the replicas of a chunk in several buckets itself
  # checkov:skip=CKV_AWS_145:the key is the variable kms_key_arn; without one S3 encrypts with its own
  # checkov:skip=CKV_AWS_18:the bucket of the logs is the variable log_bucket
  # checkov:skip=CKV2_AWS_62:nothing listens to events of chunks
  for_each = var.stores

  bucket        = each.value.bucket
  force_destroy = var.force_destroy
  tags          = merge(var.tags, { "cloudmw:store" = each.key })
}

resource "aws_s3_bucket_versioning" "store" {
  # checkov:skip=CKV_AWS_21:chunks never change; a version would keep every deleted chunk for ever
  for_each = aws_s3_bucket.store

  bucket = each.value.id

  versioning_configuration {
    status = "Disabled"
  }
}

resource "aws_s3_bucket_public_access_block" "store" {
  for_each = aws_s3_bucket.store

  bucket                  = each.value.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "store" {
  for_each = aws_s3_bucket.store

  bucket = each.value.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "store" {
  for_each = aws_s3_bucket.store

  bucket = each.value.id

  rule {
    bucket_key_enabled = var.kms_key_arn != null

    apply_server_side_encryption_by_default {
      sse_algorithm     = var.kms_key_arn == null ? "AES256" : "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "store" {
  for_each = aws_s3_bucket.store

  bucket = each.value.id

  rule {
    id     = "abort-uploads"
    status = "Enabled"

    filter {}

    abort_incomplete_multipart_upload {
      days_after_initiation = var.abort_uploads_after_days
    }
  }
}

resource "aws_s3_bucket_logging" "store" {
  for_each = var.log_bucket == null ? {} : aws_s3_bucket.store

  bucket        = each.value.id
  target_bucket = var.log_bucket
  target_prefix = "${each.value.id}/"
}

data "aws_iam_policy_document" "tls" {
  for_each = aws_s3_bucket.store

  statement {
    sid       = "OnlyTls"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [each.value.arn, "${each.value.arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }

  statement {
    sid       = "OnlyTls12"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [each.value.arn, "${each.value.arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "NumericLessThan"
      variable = "s3:TlsVersion"
      values   = ["1.2"]
    }
  }
}

resource "aws_s3_bucket_policy" "tls" {
  for_each = aws_s3_bucket.store

  bucket = each.value.id
  policy = data.aws_iam_policy_document.tls[each.key].json

  depends_on = [aws_s3_bucket_public_access_block.store]
}
