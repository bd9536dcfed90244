output "helpers" {
  description = "Names of the helpers with disks, which are also the ids of their stores, and their zones."
  value       = local.disks
}

output "disks" {
  description = "The volume of each helper, and what it can do."
  value = {
    for name, disk in aws_ebs_volume.disk : name => {
      volume_id  = disk.id
      iops       = disk.iops
      throughput = disk.throughput
    }
  }
}

output "group" {
  description = "Name of the Auto Scaling group."
  value       = aws_autoscaling_group.helpers.name
}

output "security_group_id" {
  description = "Security group of the helpers."
  value       = module.instance.security_group_id
}

output "role_arn" {
  description = "Role of the helpers, for policies of buckets and keys elsewhere."
  value       = module.instance.role_arn
}

output "monitored" {
  description = "What the module monitoring takes in fleets."
  value = {
    group   = aws_autoscaling_group.helpers.name
    size    = var.size
    volumes = { for name, disk in aws_ebs_volume.disk : name => disk.id }
  }
}

output "user_data" {
  description = "User data of the helpers, as text."
  value       = module.instance.user_data
}
