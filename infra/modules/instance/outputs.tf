output "name" {
  description = "Name of the Auto Scaling group, which the instances' role names."
  value       = local.full_name
}

output "launch_template" {
  description = "Id and newest version of the launch template."
  value = {
    id      = aws_launch_template.this.id
    version = aws_launch_template.this.latest_version
  }
}

output "security_group_id" {
  description = "Security group of the instances."
  value       = aws_security_group.this.id
}

output "role_arn" {
  description = "Role of the instances."
  value       = aws_iam_role.this.arn
}

output "hooks" {
  description = "Names of the lifecycle hooks that the instances complete."
  value = {
    launch      = local.launch_hook
    termination = local.termination_hook
  }
}

output "type" {
  description = "What is known of the instance type: memory, and the limits of EBS."
  value = {
    memory_mib         = data.aws_ec2_instance_type.this.memory_size
    ebs_iops           = data.aws_ec2_instance_type.this.ebs_performance_baseline_iops
    ebs_throughput_mib = floor(data.aws_ec2_instance_type.this.ebs_performance_baseline_throughput * 1000000 / 1048576)
  }
}

output "user_data" {
  description = "User data of the instances, as text."
  value       = local.user_data
}
