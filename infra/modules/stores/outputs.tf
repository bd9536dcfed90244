output "stores" {
  description = "What the roles of coordinators and helpers may use: variable stores of the modules coordinator and helper-fleet."
  value = {
    for id, store in var.stores : id => {
      bucket      = aws_s3_bucket.store[id].bucket
      prefix      = store.prefix
      region      = data.aws_region.current.name
      kms_key_arn = var.kms_key_arn
    }
  }
}

output "commands" {
  description = "The commands that make the buckets known to the cluster, by store."
  value = {
    for id, store in var.stores :
    id => join(" ", concat(
      ["cloudmw store add ${id} s3://${aws_s3_bucket.store[id].bucket}/${store.prefix} --region ${data.aws_region.current.name}"],
      var.kms_key_arn == null ? [] : ["--sse aws:kms --kms-key ${var.kms_key_arn} --bucket-key"],
    ))
  }
}
